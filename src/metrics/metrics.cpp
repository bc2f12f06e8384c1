#include "mbll/metrics/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbll/error.hpp"

namespace mbll {
namespace {

constexpr double kScoredLevel = 0.95;

void check_arguments(const Predictive& predictive, const MatrixView& Y) {
  check::require(predictive.points() > 0, "predictive", "has no points");
  check::shape("Y", Y, predictive.outputs(), predictive.points());
  check::finite("Y", Y);
}

/// Share of the (sorted) values that are ≤ each level.
Vector shares(Vector values, const VectorView& levels) {
  std::sort(values.begin(), values.end());
  return levels.unaryExpr([&](double level) {
    const auto count = std::upper_bound(values.begin(), values.end(), level) - values.begin();
    return static_cast<double>(count) / static_cast<double>(values.size());
  });
}

}  // namespace

double rmse(const Predictive& predictive, const MatrixView& Y) {
  return output_rmse(predictive, Y).stableNorm();
}

Vector output_rmse(const Predictive& predictive, const MatrixView& Y) {
  check_arguments(predictive, Y);
  const Matrix errors = Y - predictive.mean();
  // stableNorm: squares of huge errors must not overflow
  Vector norms(Y.rows());
  for (Index j = 0; j < Y.rows(); ++j) norms(j) = errors.row(j).stableNorm();
  return norms / std::sqrt(static_cast<double>(Y.cols()));
}

double nll(const Predictive& predictive, const MatrixView& Y) {
  check_arguments(predictive, Y);
  return -predictive.log_density(Y).mean();
}

Vector output_nll(const Predictive& predictive, const MatrixView& Y) {
  check_arguments(predictive, Y);
  return -predictive.marginal_log_density(Y).rowwise().mean();
}

Matrix pit(const Predictive& predictive, const MatrixView& Y) {
  check_arguments(predictive, Y);
  return predictive.cdf(Y);
}

CalibrationCurve calibration_curve(const Predictive& predictive, const MatrixView& Y,
                                   const VectorView& levels) {
  check_arguments(predictive, Y);
  for (Index k = 0; k < levels.size(); ++k)
    check::require(levels(k) > 0 && levels(k) < 1, "levels", fmt::format("{} is outside (0, 1)", levels(k)));
  const Matrix F = predictive.cdf(Y);
  CalibrationCurve curve;
  curve.level = levels;
  curve.joint = shares(predictive.ellipsoid_level(Y), levels);
  curve.marginal.resize(Y.rows(), levels.size());
  for (Index j = 0; j < Y.rows(); ++j)
    curve.marginal.row(j) = shares((2 * F.row(j).array() - 1).abs().transpose(), levels).transpose();
  return curve;
}

Vector central_levels() { return Vector::LinSpaced(99, 0.01, 0.99); }

double ece(const Predictive& predictive, const MatrixView& Y) {
  return calibration_curve(predictive, Y, central_levels()).joint_error();
}

Vector output_ece(const Predictive& predictive, const MatrixView& Y) {
  return calibration_curve(predictive, Y, central_levels()).marginal_error();
}

Vector output_crps(const Predictive& predictive, const MatrixView& Y) {
  check_arguments(predictive, Y);
  return predictive.crps(Y).rowwise().mean();
}

Vector output_sharpness(const Predictive& predictive) {
  check::require(predictive.points() > 0, "predictive", "has no points");
  return predictive.total_variance().rowwise().mean().cwiseSqrt();
}

Vector output_interval_score(const Predictive& predictive, const MatrixView& Y, double level) {
  check_arguments(predictive, Y);
  check::require(level > 0 && level < 1, "level", fmt::format("is {}, expected between 0 and 1", level));
  const Interval interval = predictive.interval(level);
  const Matrix outside = (interval.lower - Y).cwiseMax(0) + (Y - interval.upper).cwiseMax(0);
  return (interval.upper - interval.lower + 2 / (1 - level) * outside).rowwise().mean();
}

Evaluation evaluate(const Predictive& predictive, const MatrixView& Y) {
  check_arguments(predictive, Y);
  Evaluation result;
  result.samples = Y.cols();
  result.coverage_levels = Vector{{0.5, 0.9, 0.95, 0.99}};

  // one pass over the predictive's distribution functions for both sets of levels
  const Vector central = central_levels();
  Vector levels(central.size() + result.coverage_levels.size());
  levels << central, result.coverage_levels;
  const CalibrationCurve curve = calibration_curve(predictive, Y, levels);
  result.calibration = {central, curve.joint.head(central.size()), curve.marginal.leftCols(central.size())};

  const Vector errors = output_rmse(predictive, Y);
  const Vector log_scores = output_nll(predictive, Y);
  const Vector calibration = result.calibration.marginal_error();
  const Vector crps = output_crps(predictive, Y);
  const Vector sharpness = output_sharpness(predictive);
  const Vector interval_scores = output_interval_score(predictive, Y, kScoredLevel);
  const Index coverages = result.coverage_levels.size();
  for (Index j = 0; j < Y.rows(); ++j)
    result.outputs.push_back({errors(j), log_scores(j), calibration(j), crps(j), sharpness(j),
                              interval_scores(j), curve.marginal.row(j).tail(coverages).transpose()});
  result.joint = {
      errors.stableNorm(),    nll(predictive, Y),     result.calibration.joint_error(), crps.mean(),
      sharpness.stableNorm(), interval_scores.mean(), curve.joint.tail(coverages)};
  return result;
}

}  // namespace mbll
