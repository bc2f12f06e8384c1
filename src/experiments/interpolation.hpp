#pragma once

#include <string>
#include <vector>

#include "experiments/common.hpp"
#include "mbll/bayes/predictive.hpp"
#include "mbll/data/synthetic.hpp"
#include "mbll/features/feature_map.hpp"
#include "mbll/model/pipelines.hpp"

/// What the three interpolation experiments share.
namespace mbll::experiments {

/// Points on [−6, 6], where the figures are drawn. 1×481
[[nodiscard]] Matrix drawing_points();

/// How near a fit comes to the truth on the observed intervals, and what it says outside.
struct InterpolationScores {
  double mean_rmse = 0;         ///< of the predicted mean against the true one
  double sigma_deviation = 0;   ///< median of |σ̂/σ − 1|
  double epistemic_median = 0;  ///< of the epistemic standard deviation
  double left_ratio = 0;        ///< epistemic standard deviation at x = −6 over that median
  double right_ratio = 0;       ///< … at x = 6

  [[nodiscard]] Json to_json() const;
};
/// `observed` is the predictive at the set's own inputs, `far` at −6 and 6.
[[nodiscard]] InterpolationScores interpolation_scores(const SyntheticSet& set, const Predictive& observed,
                                                       const Predictive& far);

/// Bands with observations, the true mean and, if given, another fit; and the standard deviations by x.
[[nodiscard]] report::Section interpolation_section(const std::string& heading, const std::string& text,
                                                    const SyntheticSet& set, const Predictive& drawn,
                                                    const std::vector<report::Curve>& more = {});

/// Mean and standard deviations at the drawing points.
[[nodiscard]] Json curve_json(const Predictive& drawn);

/// √(λ_max/λ_min) of ΦΦᵀ over samples: how nearly the features depend on each other.
[[nodiscard]] double condition_number(const FeatureMap& features, const MatrixView& X);

/// The paper's network for the heteroscedastic problem: 4 Softplus layers and σ(x), with the settings that
/// docs/reproduction.md explains.
[[nodiscard]] NetworkOptions interpolation_network(Index units, const ExperimentOptions& options, double from,
                                                   double to, const std::string& stage);

}  // namespace mbll::experiments
