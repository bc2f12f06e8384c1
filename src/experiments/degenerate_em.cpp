#include "mbll/experiments/degenerate_em.hpp"

#include <fmt/format.h>

#include "experiments/common.hpp"
#include "mbll/bayes/least_squares.hpp"
#include "mbll/em/em.hpp"

namespace mbll::experiments {
namespace {

constexpr Index kFeatures = 8;
constexpr Index kOutputs = 3;
constexpr Index kSamples = 100;
constexpr int kSteps = 50;

Matrix normal_matrix(Index rows, Index cols, Rng& rng) {
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, cols, [&] { return normal(rng); });
}

/// Y = AΦ + σε with everything drawn at random, and a random start of M and K.
struct Simulation {
  Statistics data{kFeatures, kOutputs};
  Matrix M0;
  Matrix K0;

  explicit Simulation(std::uint64_t seed) {
    Rng rng = make_rng(seed);
    const Matrix Phi = normal_matrix(kFeatures, kSamples, rng);
    const Matrix A = normal_matrix(kOutputs, kFeatures, rng);
    std::uniform_real_distribution<double> level(0.5, 1.5);
    const Vector sigma = Vector::NullaryExpr(kSamples, [&] { return level(rng); });
    data.add(Phi, A * Phi + normal_matrix(kOutputs, kSamples, rng) * sigma.asDiagonal(), sigma);
    M0 = normal_matrix(kOutputs, kFeatures, rng);
    const Matrix root = normal_matrix(kFeatures, kFeatures, rng);
    K0 = root * root.transpose() / kFeatures + Matrix::Identity(kFeatures, kFeatures);
  }

  [[nodiscard]] NormalPrior start() const {
    return {M0, Covariance::identity(kOutputs), Covariance::from_matrix(K0, "K0")};
  }
};

/// What the figure shows of one scheme, and M and K after every step.
struct Scheme {
  Vector log_evidence;
  Vector distance;  ///< ‖M − M̂‖/‖M̂‖
  Vector trace;     ///< tr K
  std::vector<Matrix> M;
  std::vector<Matrix> K;
};

/// Runs EM one step at a time, so that M and K of every step are known.
Scheme run_scheme(const Simulation& simulation, bool hyperprior, const Matrix& least_squares) {
  EmOptions options;
  options.column = ColumnStructure::full;
  options.update_mean = true;
  options.unregularised_joint = !hyperprior;
  options.accelerate = false;
  options.tolerance = 1e-300;  // the steps are counted, not judged
  if (hyperprior) options.hyperprior = Hyperprior::identity(kFeatures, 1);
  Scheme scheme{Vector(kSteps + 1), Vector(kSteps + 1), Vector(kSteps + 1), {}, {}};
  for (int n = 0; n <= kSteps; ++n) {
    NormalPrior prior = simulation.start();
    if (n > 0) {
      options.max_steps = n;
      prior = fit_em(prior, simulation.data, options).prior;
    }
    scheme.log_evidence(n) = condition(prior, simulation.data).log_evidence();
    scheme.distance(n) = (prior.M - least_squares).norm() / least_squares.norm();
    scheme.trace(n) = prior.K.trace();
    scheme.M.push_back(prior.M);
    scheme.K.push_back(prior.K.matrix());
  }
  return scheme;
}

/// Relative errors of the run against K_n⁻¹ = K_0⁻¹ + nΦD⁻¹Φᵀ and M_n = M̂ + (M_0 − M̂)K_0⁻¹K_n.
struct ClosedForm {
  Vector column_error;
  Vector mean_error;

  ClosedForm(const Simulation& simulation, const Scheme& scheme, const Matrix& least_squares)
      : column_error(kSteps + 1), mean_error(kSteps + 1) {
    const Matrix precision = Covariance::from_matrix(simulation.K0, "K0").precision();
    const Matrix gram = simulation.data.feature_gram();
    for (int n = 0; n <= kSteps; ++n) {
      const Matrix K = Covariance::from_matrix(precision + n * gram, "precision").precision();
      const Matrix M = least_squares + (simulation.M0 - least_squares) * precision * K;
      const auto step = static_cast<std::size_t>(n);
      column_error(n) = (scheme.K[step] - K).norm() / K.norm();
      mean_error(n) = (scheme.M[step] - M).norm() / M.norm();
    }
  }
};

report::Figure curves(const std::string& title, const std::string& label, bool logarithmic,
                      const Vector& unregularised, const Vector& regularised) {
  const Vector steps = Vector::LinSpaced(kSteps + 1, 0, kSteps);
  report::Lines lines;
  lines.x.label = "step";
  lines.y = {label, logarithmic ? report::Scale::logarithmic : report::Scale::linear};
  lines.curves = {{"unregularised", steps, unregularised, report::CurveStyle::line},
                  {"hyperprior", steps, regularised, report::CurveStyle::line}};
  return {title, "", lines};
}

}  // namespace

ExperimentResult run_degenerate_em(const ExperimentOptions& options) {
  tell(options, 0, "unregularised scheme");
  const Simulation simulation(options.seed);
  const Matrix least = least_squares(simulation.data).weights;
  const Scheme joint = run_scheme(simulation, false, least);
  tell(options, 0.5, "scheme with a hyperprior");
  const Scheme hyper = run_scheme(simulation, true, least);
  const ClosedForm theory(simulation, joint, least);
  tell(options, 1, "done");

  const auto scheme_json = [](const Scheme& scheme) {
    return Json{{"log_evidence", vector_json(scheme.log_evidence)},
                {"relative_distance_of_M", vector_json(scheme.distance)},
                {"trace_K", vector_json(scheme.trace)}};
  };
  Json results{{"experiment", "degenerate-em"},
               {"settings",
                {{"seed", options.seed},
                 {"samples", kSamples},
                 {"features", kFeatures},
                 {"outputs", kOutputs},
                 {"steps", kSteps},
                 {"hyperprior", "IW(I, 1)"}}},
               {"unregularised", scheme_json(joint)},
               {"hyperprior", scheme_json(hyper)},
               {"closed_form",
                {{"relative_error_of_K", vector_json(theory.column_error)},
                 {"relative_error_of_M", vector_json(theory.mean_error)}}}};

  const double shrinkage = joint.trace(kSteps) * kSteps;
  const std::vector<Comparison> rows{
      {"tr K, unregularised, first → last step", "→ 0",
       fmt::format("{:.3g} → {:.3g}", joint.trace(0), joint.trace(kSteps))},
      {"tr K, hyperprior, first → last step", "stays away from 0",
       fmt::format("{:.3g} → {:.3g}", hyper.trace(0), hyper.trace(kSteps))},
      {"‖M − M̂‖/‖M̂‖, unregularised, last step", "→ 0", fmt::format("{:.2e}", joint.distance(kSteps))},
      {"‖M − M̂‖/‖M̂‖, hyperprior, last step", "", fmt::format("{:.2e}", hyper.distance(kSteps))},
      {"n tr K_n, last step (tr (ΦD⁻¹Φᵀ)⁻¹ in the limit)", "constant",
       fmt::format("{:.4g} ({:.4g})", shrinkage,
                   Covariance::from_matrix(simulation.data.feature_gram(), "gram").precision().trace())},
      {"largest relative error of K_n against the theorem", "",
       fmt::format("{:.1e}", theory.column_error.maxCoeff())},
      {"largest relative error of M_n against the theorem", "",
       fmt::format("{:.1e}", theory.mean_error.maxCoeff())},
  };

  report::Report page;
  page.title = "Why the evidence must be regularised";
  page.subtitle = "EM for M and K together, on simulated data";
  page.sections.push_back(comparison_section(rows));
  report::Section section;
  section.heading = "Convergence";
  section.text =
      "Without a hyperprior both schemes raise the evidence, but M runs into least squares and K into zero: "
      "no "
      "epistemic uncertainty is left. With it K stays where the data puts it.";
  section.figures = {
      curves("Log-evidence", "ln p(Y)", false, joint.log_evidence, hyper.log_evidence),
      curves("Distance of M from least squares", "‖M − M̂‖/‖M̂‖", true, joint.distance, hyper.distance),
      curves("Size of K", "tr K", true, joint.trace, hyper.trace)};
  page.sections.push_back(std::move(section));
  return {results.dump(1), std::move(page), comparison_text("Degenerate EM (figure flawed_em)", rows)};
}

}  // namespace mbll::experiments
