#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/interpolation.hpp"
#include "mbll/data/splits.hpp"
#include "mbll/experiments/interpolation.hpp"
#include "mbll/features/centres.hpp"
#include "mbll/features/gaussian_kernels.hpp"

namespace mbll::experiments {
namespace {

constexpr Index kNetworkSamples = 500;

struct Variant {
  const char* name;
  const char* figure;
  Index units;
  std::uint64_t weights;  ///< added to the seed of the initial weights
  HyperpriorKind hyperprior;
};

/// The paper's three figures of end-to-end training.
constexpr Variant kVariants[] = {
    {"64 units", "em_dnn", 64, 0, HyperpriorKind::none},
    {"64 units, other initialisation, hyperprior", "em_dnn2", 64, 1, HyperpriorKind::identity},
    {"32 units", "em_dnn32", 32, 0, HyperpriorKind::none},
};

struct Problem {
  SyntheticSet set;
  Split split;

  explicit Problem(std::uint64_t seed)
      : set(interpolation_heteroscedastic(kNetworkSamples, seed + 1)),
        split(random_split(kNetworkSamples, 0.2, 0, seed)) {}
};

struct Outcome {
  MemberFit fit;
  InterpolationScores scores;
  SharedPredictive drawn;

  Outcome(MemberFit member_fit, const SyntheticSet& set)
      : fit(std::move(member_fit)), drawn(fit.member.predict(drawing_points())) {
    Matrix ends(1, 2);
    ends << -6, 6;
    scores = interpolation_scores(set, fit.member.predict(set.X), fit.member.predict(ends));
  }
  [[nodiscard]] int rounds() const { return static_cast<int>(fit.rounds.size()) - 1; }
  [[nodiscard]] Json to_json() const {
    return {{"rounds", rounds()},
            {"converged", fit.converged},
            {"k", fit.prior_variance},
            {"log_evidence", fit.log_evidence},
            {"trace", trace_json(fit.rounds)},
            {"scores", scores.to_json()},
            {"condition_of_features", condition_number(fit.member.encoder.feature_map(), drawing_points())},
            {"curves", curve_json(drawn)}};
  }
};

EndToEndOptions end_to_end_options() {
  EndToEndOptions options;
  options.rounds = 30;
  options.epochs = 100;
  options.rate = 3e-3;
  options.rate_factor = 0.7;
  options.tolerance = 1e-3;
  return options;
}

Outcome run_variant(const Problem& problem, const Variant& variant, const ExperimentOptions& options,
                    double from, double to) {
  LayerOptions layer;
  layer.hyperprior = variant.hyperprior;
  return {fit_network(problem.set.X, problem.set.Y, Vector(), problem.split.train, problem.split.validation,
                      interpolation_network(variant.units, options, from, to, variant.name), layer,
                      end_to_end_options(), options.seed + variant.weights),
          problem.set};
}

/// The first features of a map over x, each divided by its largest value.
report::Figure basis_figure(const std::string& title, const FeatureMap& features) {
  const Matrix X = drawing_points();
  const Matrix Phi = features(X);
  const Index count = std::min<Index>(Phi.rows() - 1, 12);  // without the constant
  report::Lines lines;
  lines.x.label = "x";
  lines.y.label = "feature, largest value 1";
  for (Index j = 0; j < count; ++j) {
    const Vector values = Phi.row(j).transpose();
    lines.curves.push_back({fmt::format("φ{}", j + 1), X.row(0).transpose(),
                            values / std::max(1e-12, values.cwiseAbs().maxCoeff()),
                            report::CurveStyle::line});
  }
  return {title, fmt::format("{} of {} features", count, Phi.rows()), std::move(lines)};
}

FeatureMap kernels() {
  return GaussianKernels::of_width(grid(Vector::Constant(1, -5), Vector::Constant(1, 5), {21}), 0.5);
}

std::string ratios(const InterpolationScores& scores) {
  return fmt::format("{:.1f}, {:.1f}", scores.left_ratio, scores.right_ratio);
}

}  // namespace

ExperimentResult run_interpolation_network(const ExperimentOptions& options) {
  const Problem problem(options.seed);
  Json variants = Json::object();
  std::vector<Comparison> rows;
  report::Report page;
  page.title = "Interpolation with a network, trained end to end";
  page.subtitle = "4 Softplus layers, σ(x) on the same backbone, M = 0, K = kI";
  const double kernel_condition = condition_number(kernels(), problem.set.X);
  for (const Variant& variant : kVariants) {
    const double from = static_cast<double>(&variant - kVariants) / 3;
    const Outcome outcome = run_variant(problem, variant, options, from, from + 1.0 / 3);
    variants[variant.figure] = outcome.to_json();
    variants[variant.figure]["units"] = variant.units;
    variants[variant.figure]["hyperprior"] = name_of(variant.hyperprior);
    const bool main = variant.units == 64 && variant.weights == 0;
    const std::string name = std::string(variant.figure) + " (" + variant.name + "): ";
    const InterpolationScores& scores = outcome.scores;
    rows.push_back({name + "EM rounds at 10⁻³", main ? "< 30" : "",
                    fmt::format("{}{}", outcome.rounds(), outcome.fit.converged ? "" : " (not converged)")});
    rows.push_back({name + "median |σ̂/σ − 1| on the intervals", "",
                    fmt::format("{:.1f} %", 100 * scores.sigma_deviation)});
    rows.push_back({name + "epistemic SD at −6, 6 over its median on the intervals", main ? "“explodes”" : "",
                    ratios(scores)});
    if (main) {
      const FeatureMap& learned = outcome.fit.member.encoder.feature_map();
      rows.push_back(
          {"condition number of learned features / Gaussian kernels", "10⁸ / 10²",
           fmt::format("{:.1e} / {:.1e}", condition_number(learned, problem.set.X), kernel_condition)});
      page.sections.push_back(trace_section(
          outcome.fit.rounds, outcome.fit.converged ? "converged" : "not converged in 30 rounds"));
      report::Section bases;
      bases.heading = "Learned features";
      bases.text =
          "Features of a network spread over the whole line and nearly depend on each other; kernels do not.";
      bases.figures = {basis_figure("Learned features", learned),
                       basis_figure("Gaussian kernels", kernels())};
      page.sections.push_back(std::move(bases));
    }
    page.sections.push_back(interpolation_section(std::string("Prediction, ") + variant.name,
                                                  std::string("Figure ") + variant.figure + " of the paper.",
                                                  problem.set, outcome.drawn));
  }
  tell(options, 1, "done");
  page.sections.insert(page.sections.begin(), comparison_section(rows));
  const EndToEndOptions settings = end_to_end_options();
  const Json results{{"experiment", "interpolation-network"},
                     {"settings",
                      {{"seed", options.seed},
                       {"samples", kNetworkSamples},
                       {"validation", 0.2},
                       {"layers", 4},
                       {"activation", "softplus"},
                       {"pretraining_epochs", 1000},
                       {"beta", 0.5},
                       {"batch", 400},
                       {"rate", 1e-2},
                       {"round_epochs", settings.epochs},
                       {"round_rate", settings.rate},
                       {"round_rate_factor", settings.rate_factor},
                       {"tolerance", settings.tolerance}}},
                     {"variants", variants},
                     {"kernel_condition", kernel_condition}};
  return {results.dump(1), std::move(page),
          comparison_text("Interpolation, network end to end (figures em_dnn, em_dnn_convergence, em_dnn2, "
                          "em_dnn32, learned_basis)",
                          rows)};
}

ExperimentResult run_interpolation_two_phase(const ExperimentOptions& options) {
  const Problem problem(options.seed);
  const auto run = [&](bool adapted, double from) {
    NetworkOptions network = interpolation_network(64, options, from, from + 0.5,
                                                   adapted ? "mirrored features" : "plain features");
    network.mirrored = adapted;
    LayerOptions layer;
    if (adapted) layer.hyperprior = HyperpriorKind::scale_invariant;
    layer.hyperprior_nu = 1;
    return Outcome(fit_network(problem.set.X, problem.set.Y, Vector(), problem.split.train,
                               problem.split.validation, network, layer, {}, options.seed),
                   problem.set);
  };
  const Outcome paper = run(true, 0);
  const Outcome plain = run(false, 0.5);
  tell(options, 1, "done");
  const auto median_outside = [](const Outcome& outcome) {
    return 0.5 * outcome.scores.epistemic_median * (outcome.scores.left_ratio + outcome.scores.right_ratio);
  };
  const auto outcome_json = [](const Outcome& outcome) {
    return Json{{"em",
                 {{"end", name_of(outcome.fit.em.end)},
                  {"steps", outcome.fit.em.steps},
                  {"trace", trace_json(outcome.fit.em.trace)}}},
                {"k", outcome.fit.prior_variance},
                {"log_evidence", outcome.fit.log_evidence},
                {"scores", outcome.scores.to_json()},
                {"curves", curve_json(outcome.drawn)}};
  };
  const std::vector<Comparison> rows{
      {"EM steps with frozen features", "",
       fmt::format("{}, {}", paper.fit.em.steps, name_of(paper.fit.em.end))},
      {"median |σ̂/σ − 1| on the intervals", "", fmt::format("{:.1f} %", 100 * paper.scores.sigma_deviation)},
      {"epistemic SD at −6, 6 over its median on the intervals", "symmetric", ratios(paper.scores)},
      {"the same without mirrored features and hyperprior", "", ratios(plain.scores)},
      {"mean epistemic SD at ±6, with / without", "considerably greater with",
       fmt::format("{:.3g} / {:.3g}", median_outside(paper), median_outside(plain))},
  };
  report::Report page;
  page.title = "Interpolation in two phases";
  page.subtitle =
      "A pretrained density network, frozen; mirrored features; scale-invariant hyperprior, ν_K = 1";
  page.sections = {
      comparison_section(rows),
      interpolation_section("Prediction", "Figure fixed_pretrained_density_network of the paper.",
                            problem.set, paper.drawn),
      interpolation_section("Without mirrored features and hyperprior", "The same network and data.",
                            problem.set, plain.drawn),
      trace_section(paper.fit.em.trace, name_of(paper.fit.em.end))};
  const Json results{{"experiment", "interpolation-two-phase"},
                     {"settings",
                      {{"seed", options.seed},
                       {"samples", kNetworkSamples},
                       {"units", 64},
                       {"layers", 4},
                       {"hyperprior", "scale-invariant, ridge 1e-3"},
                       {"hyperprior_nu", 1}}},
                     {"mirrored_hyperprior", outcome_json(paper)},
                     {"plain", outcome_json(plain)}};
  return {results.dump(1), std::move(page),
          comparison_text("Interpolation, two-phase (figure fixed_pretrained_density_network)", rows)};
}

}  // namespace mbll::experiments
