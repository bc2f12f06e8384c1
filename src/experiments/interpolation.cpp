#include "experiments/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bayes/lapack.hpp"

namespace mbll::experiments {

Matrix drawing_points() { return evenly_spaced(-6, 6, 481).transpose(); }

Json InterpolationScores::to_json() const {
  return {{"mean_rmse", mean_rmse},
          {"sigma_median_relative_deviation", sigma_deviation},
          {"epistemic_sd_median", epistemic_median},
          {"epistemic_ratio_at_minus_6", left_ratio},
          {"epistemic_ratio_at_6", right_ratio}};
}

InterpolationScores interpolation_scores(const SyntheticSet& set, const Predictive& observed,
                                         const Predictive& far) {
  const Vector sigma = observed.aleatoric_variance().row(0).cwiseSqrt().transpose();
  const Vector truth = set.sigma(set.X);
  InterpolationScores scores;
  scores.mean_rmse = std::sqrt((observed.mean() - set.mean(set.X)).array().square().mean());
  scores.sigma_deviation = median((sigma.array() / truth.array() - 1).abs().matrix());
  scores.epistemic_median = median(observed.epistemic_variance().row(0).cwiseSqrt().transpose());
  const Matrix outside = far.epistemic_variance().cwiseSqrt();
  scores.left_ratio = outside(0, 0) / scores.epistemic_median;
  scores.right_ratio = outside(0, 1) / scores.epistemic_median;
  return scores;
}

report::Section interpolation_section(const std::string& heading, const std::string& text,
                                      const SyntheticSet& set, const Predictive& drawn,
                                      const std::vector<report::Curve>& more) {
  const Matrix X = drawing_points();
  const Vector x = X.row(0).transpose();
  const auto sd = [](const Matrix& variance) -> Vector { return variance.row(0).cwiseSqrt().transpose(); };
  report::BandPanel panel;
  panel.name = "y";
  panel.x = x;
  panel.mean = drawn.mean().row(0).transpose();
  panel.aleatoric = sd(drawn.aleatoric_variance());
  panel.epistemic = sd(drawn.epistemic_variance());
  panel.observed_x = set.X.row(0).transpose();
  panel.observed = set.Y.row(0).transpose();
  panel.curves = {{"truth", x, set.mean(X).row(0).transpose(), report::CurveStyle::dashed}};
  panel.curves.insert(panel.curves.end(), more.begin(), more.end());

  report::Lines profile;
  profile.x.label = "x";
  profile.y.label = "standard deviation";
  profile.curves = {{"aleatoric", x, panel.aleatoric, report::CurveStyle::line},
                    {"epistemic", x, panel.epistemic, report::CurveStyle::line},
                    {"true noise", x, set.sigma(X), report::CurveStyle::dashed}};
  report::Section section;
  section.heading = heading;
  section.text = text;
  section.figures = {{"Prediction with its uncertainty", "", report::Bands{{"x"}, {std::move(panel)}}},
                     {"Profile of the uncertainties", "", std::move(profile)}};
  return section;
}

Json curve_json(const Predictive& drawn) {
  return {{"x", vector_json(drawing_points().row(0).transpose())},
          {"mean", vector_json(drawn.mean().row(0).transpose())},
          {"aleatoric_sd", vector_json(drawn.aleatoric_variance().row(0).cwiseSqrt().transpose())},
          {"epistemic_sd", vector_json(drawn.epistemic_variance().row(0).cwiseSqrt().transpose())}};
}

double condition_number(const FeatureMap& features, const MatrixView& X) {
  const Vector singular = lapack::jacobi_svd(features(X).transpose()).s;
  return singular(0) / singular(singular.size() - 1);
}

NetworkOptions interpolation_network(Index units, const ExperimentOptions& options, double from, double to,
                                     const std::string& stage) {
  NetworkOptions network;
  network.hidden = {units, units, units, units};
  network.activation = nn::Activation::softplus;
  network.training.epochs = 1000;
  network.beta = 0.5;
  network.training.batch = 400;
  network.training.optimiser.rate = 1e-2;
  network.training.optimiser.clip_norm = 1;
  network.training.schedule.kind = nn::Schedule::one_cycle;
  const auto epochs = std::make_shared<Index>(0);
  network.training.progress = [=, &options](const nn::EpochReport&) {
    const double share = std::min(1.0, static_cast<double>(++*epochs) / 4000);  // pretraining and 30 rounds
    tell(options, from + share * (to - from), stage);
    return true;
  };
  return network;
}

}  // namespace mbll::experiments
