#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mbll/bayes/predictive.hpp"
#include "mbll/metrics/metrics.hpp"
#include "mbll/report/figure.hpp"

/// The standard sections of a report, from plain values. How the model was fitted does not matter here.
/// `names` are the p output names. All throw InvalidArgument if shapes do not fit.
namespace mbll::report {

using Names = std::vector<std::string>;

/// Mean and standard deviations of a prediction, p×L each.
struct Prediction {
  Matrix mean;
  Matrix aleatoric;
  Matrix epistemic;

  Prediction() = default;
  Prediction(Matrix mean_, Matrix aleatoric_sd, Matrix epistemic_sd);
  Prediction(const Predictive&
                 predictive);  // NOLINT(google-explicit-constructor): the same thing, in its plain form
};

enum class AxisKind {
  index,    ///< in the order of the samples
  ordered,  ///< by the predicted mean, each output in its own order: for inputs that no single axis can show
  value,    ///< over one input
  time,     ///< over seconds since 1970-01-01 00:00 UTC
};

/// What the samples are drawn over. `x` has one entry per sample, and none for `index` and `ordered`.
struct SampleAxis {
  AxisKind kind = AxisKind::index;
  std::string label;
  Vector x;
};

/// Things drawn beside a prediction.
struct Overlay {
  Vector observation_x;  ///< m: where the observations lie, if not at the predicted points
  Matrix observations;   ///< p×m
  std::vector<std::pair<std::string, Matrix>> curves;  ///< name, p×L: the truth, another fit
};

/// Predictions with bands. `observed` is p×L, or empty; entries that are not finite are not drawn.
[[nodiscard]] Section prediction_section(const Names& names, const SampleAxis& axis,
                                         const Prediction& prediction, const MatrixView& observed = Matrix(),
                                         const Overlay& overlay = {});

/// Observed against predicted with error bars.
[[nodiscard]] Section observed_predicted_section(const Names& names, const Prediction& prediction,
                                                 const MatrixView& observed /* p×L */);

/// Coverage against the level that intervals claim, per output and jointly, with the expected calibration
/// errors. `samples` is how many observations the curve was counted from.
[[nodiscard]] Section calibration_section(const Names& names, const CalibrationCurve& curve, Index samples);

/// Histogram of standardised residuals z = Φ⁻¹(F(y)): N(0, 1) for a right model, whatever the predictive's
/// shape. For a Gaussian predictive z = (y − mean)/sd.
[[nodiscard]] Section residual_section(const Names& names, const MatrixView& probability /* p×L */);

/// One quantity that EM reports after every step.
struct Trace {
  std::string name;
  Vector values;  ///< one per step
  bool logarithmic = false;
};

/// One small figure per trace (log-evidence, tr K, relative change, …). `ending` says how the iteration
/// ended.
[[nodiscard]] Section convergence_section(const std::vector<Trace>& traces, const std::string& ending = "");

/// Correlation of the noise between outputs, with the standard deviations as a table.
[[nodiscard]] Section correlation_section(const Names& names, const MatrixView& covariance /* p×p */);

/// A figure of curves, e.g. the evidence over k.
[[nodiscard]] Section lines_section(const std::string& heading, const std::string& text, Lines lines);

/// A table alone.
[[nodiscard]] Section table_section(const std::string& heading, const std::string& text, Table table);

/// Samples whose epistemic standard deviation is unusually large, most unusual first: log-ratio to the median
/// above three robust standard deviations (1.4826 MAD) and above ln 1.5. With several outputs the largest
/// ratio counts.
[[nodiscard]] std::vector<Index> unusual_samples(const MatrixView& epistemic /* p×L */);

/// The epistemic uncertainty of all samples relative to its median, and a table of the most unusual ones.
[[nodiscard]] Section outlier_section(const Names& names, const SampleAxis& axis,
                                      const Prediction& prediction, const MatrixView& observed = Matrix(),
                                      Index table_rows = 20);

/// Everything above that observations allow: predictions, observed against predicted, calibration, residuals
/// and outliers. `observed` is p×L and finite, or empty.
[[nodiscard]] std::vector<Section> evaluation_sections(const Names& names, const SampleAxis& axis,
                                                       const Predictive& predictive,
                                                       const MatrixView& observed = Matrix(),
                                                       const Overlay& overlay = {});

}  // namespace mbll::report
