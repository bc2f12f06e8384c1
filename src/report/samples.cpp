#include "report/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "mbll/error.hpp"

namespace mbll::report {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> to_std(const VectorView& values) { return {values.begin(), values.end()}; }

/// Positions of the smallest and the largest finite value, if any.
void add_extremes(const VectorView& values, std::vector<Index>& samples) {
  Index low = -1;
  Index high = -1;
  for (Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values(i))) continue;
    if (low < 0 || values(i) < values(low)) low = i;
    if (high < 0 || values(i) > values(high)) high = i;
  }
  if (low >= 0) samples.insert(samples.end(), {low, high});
}

}  // namespace

Prediction::Prediction(Matrix mean_, Matrix aleatoric_sd, Matrix epistemic_sd)
    : mean(std::move(mean_)), aleatoric(std::move(aleatoric_sd)), epistemic(std::move(epistemic_sd)) {}

Prediction::Prediction(const Predictive& predictive)
    : mean(predictive.mean()),
      aleatoric(predictive.aleatoric_variance().cwiseSqrt()),
      epistemic(predictive.epistemic_variance().cwiseSqrt()) {}

void check_samples(const Names& names, const SampleAxis& axis, const Prediction& prediction,
                   const MatrixView& observed) {
  const Index p = prediction.mean.rows();
  const Index points = prediction.mean.cols();
  check::require(static_cast<Index>(names.size()) == p, "names",
                 fmt::format("has {} entries, expected one for each of {} outputs", names.size(), p));
  check::shape("aleatoric", prediction.aleatoric, p, points);
  check::shape("epistemic", prediction.epistemic, p, points);
  if (observed.size() > 0) check::shape("observed", observed, p, points);
  const bool has_x = axis.kind == AxisKind::value || axis.kind == AxisKind::time;
  check::size("x", axis.x, has_x ? points : 0);
}

Axis shown_axis(const SampleAxis& axis) {
  switch (axis.kind) {
    case AxisKind::index:
      return {axis.label.empty() ? "sample" : axis.label, Scale::linear};
    case AxisKind::ordered:
      return {axis.label.empty() ? "samples ordered by predicted mean" : axis.label, Scale::linear};
    case AxisKind::value:
      return {axis.label.empty() ? "x" : axis.label, Scale::linear};
    case AxisKind::time:
      return {axis.label.empty() ? "time (UTC)" : axis.label, Scale::time};
  }
  return {};
}

std::string grouped(Index value) {
  std::string text = std::to_string(value);
  if (text.size() <= 4) return text;
  for (Index at = static_cast<Index>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), "\u202f");
  return text;
}

std::string utc_text(double seconds) {
  if (!std::isfinite(seconds) || std::abs(seconds) > 1e11) return fmt::format("{}", seconds);
  const auto whole = static_cast<std::time_t>(std::floor(seconds));
  std::tm parts{};
  gmtime_r(&whole, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min);
}

Vector relative_epistemic(const MatrixView& epistemic) {
  Vector result = Vector::Zero(epistemic.cols());
  for (Index j = 0; j < epistemic.rows(); ++j) {
    const Vector row = epistemic.row(j).transpose();
    const double middle = median(to_std(row));
    if (middle > 0) result = result.cwiseMax(row / middle);
  }
  return result;
}

std::vector<Index> unusual_samples(const MatrixView& epistemic) {
  static constexpr double smallest_ratio = 1.5;
  static constexpr double normal_mad = 1.4826;
  const Vector ratio = relative_epistemic(epistemic);
  std::vector<double> logs;
  for (const double value : ratio)
    if (value > 0) logs.push_back(std::log(value));
  const double centre = median(logs);
  for (double& value : logs) value = std::abs(value - centre);
  const double threshold =
      std::max(centre + 3 * normal_mad * median(logs), centre + std::log(smallest_ratio));
  std::vector<Index> result;
  for (Index i = 0; i < ratio.size(); ++i)
    if (ratio(i) > 0 && std::log(ratio(i)) > threshold) result.push_back(i);
  std::stable_sort(result.begin(), result.end(), [&](Index a, Index b) { return ratio(a) > ratio(b); });
  return result;
}

std::vector<Index> flagged_samples(const Prediction& prediction, const MatrixView& observed) {
  const Index points = prediction.mean.cols();
  std::vector<Index> result;
  for (Index j = 0; j < prediction.mean.rows(); ++j) {
    add_extremes(prediction.mean.row(j).transpose(), result);
    if (observed.size() > 0) add_extremes(observed.row(j).transpose(), result);
  }
  if (observed.size() > 0) {
    const Matrix sd = (prediction.aleatoric.array().square() + prediction.epistemic.array().square()).sqrt();
    const Matrix distance = (observed - prediction.mean).cwiseAbs().cwiseQuotient(sd);
    std::vector<std::pair<double, Index>> beyond;
    for (Index i = 0; i < points; ++i) {
      double largest = 0;
      for (Index j = 0; j < distance.rows(); ++j)
        if (distance(j, i) > largest) largest = distance(j, i);
      if (largest > 3) beyond.emplace_back(-largest, i);
    }
    std::sort(beyond.begin(), beyond.end());
    for (const auto& entry : beyond) result.push_back(entry.second);
  }
  const std::vector<Index> unusual = unusual_samples(prediction.epistemic);
  result.insert(result.end(), unusual.begin(), unusual.end());
  // Each once, where it is most important.
  std::vector<char> seen(static_cast<std::size_t>(points), 0);
  std::erase_if(result, [&](Index i) { return std::exchange(seen[static_cast<std::size_t>(i)], 1) != 0; });
  return result;
}

}  // namespace mbll::report
