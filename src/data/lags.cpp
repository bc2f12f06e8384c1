#include "mbll/data/lags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mbll/error.hpp"

namespace mbll {
namespace {

double median_step(const Vector& time) {
  std::vector<double> steps;
  for (Index i = 1; i < time.size(); ++i) {
    steps.push_back(time(i) - time(i - 1));
    if (!(steps.back() > 0))
      throw InvalidArgument(fmt::format("time: sample {} is not later than the one before", i));
  }
  if (steps.empty()) return 1;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

/// Where sample t − k·step is, found by walking back from t; −1 if there is a gap.
Index find_past(const Vector& time, double step, Index t, Index lag) {
  if (time.size() == 0) return t - lag;
  constexpr double kTolerance = 1e-6;
  const double distance = static_cast<double>(lag);
  for (Index i = t; i >= 0; --i) {
    const double steps = (time(t) - time(i)) / step;
    if (std::abs(steps - distance) <= kTolerance) return i;
    if (steps > distance) break;
  }
  return -1;
}

std::string lagged_name(const std::string& name, Index lag) {
  return lag == 0 ? name : fmt::format("{}[t-{}]", name, lag);
}

}  // namespace

void LagOptions::validate() const {
  check::require(input_order >= 0, "LagOptions.input_order", fmt::format("is {}, expected ≥ 0", input_order));
  check::require(output_order >= 0, "LagOptions.output_order",
                 fmt::format("is {}, expected ≥ 0", output_order));
  check::require(input_order + output_order >= 1, "LagOptions",
                 "both orders are 0: there is nothing to regress on");
  check::require(step >= 0 && std::isfinite(step), "LagOptions.step",
                 fmt::format("is {}, expected ≥ 0", step));
}

LaggedData build_lags(const MatrixView& X, const std::vector<std::string>& x_names, const MatrixView& Y,
                      const std::vector<std::string>& y_names, const LagOptions& options,
                      const Vector& time) {
  options.validate();
  const Index P = options.input_order;
  const Index Q = options.output_order;
  check::shape("X", X, static_cast<Index>(x_names.size()), Y.cols());
  check::shape("Y", Y, static_cast<Index>(y_names.size()), Y.cols());
  if (time.size() > 0) {
    check::size("time", time, Y.cols());
    check::finite("time", time);
  }
  const double regular = median_step(time);
  const double step = options.step > 0 ? options.step : regular;

  LaggedData data;
  for (Index k = 0; k < P; ++k)
    for (const std::string& name : x_names) data.input_names.push_back(lagged_name(name, k));
  for (Index k = 1; k <= Q; ++k)
    for (const std::string& name : y_names) data.input_names.push_back(lagged_name(name, k));

  const Index past = std::max(P - 1, Q);
  data.inputs.resize(X.rows() * P + Y.rows() * Q, Y.cols());
  data.outputs.resize(Y.rows(), Y.cols());
  std::vector<Index> at(past + 1);  // at[k]: sample k steps back
  for (Index t = 0; t < Y.cols(); ++t) {
    if (t < past) {
      ++data.dropped_start;
      continue;
    }
    for (Index k = 0; k <= past; ++k) at[k] = find_past(time, step, t, k);
    if (*std::min_element(at.begin(), at.end()) < 0) {
      ++data.dropped_gaps;
      continue;
    }
    const auto m = static_cast<Index>(data.samples.size());
    auto regressors = data.inputs.col(m);
    for (Index k = 0; k < P; ++k) regressors.segment(k * X.rows(), X.rows()) = X.col(at[k]);
    for (Index k = 1; k <= Q; ++k)
      regressors.segment(P * X.rows() + (k - 1) * Y.rows(), Y.rows()) = Y.col(at[k]);
    if (regressors.hasNaN() || (options.outputs_needed && Y.col(t).hasNaN())) {
      ++data.dropped_missing;
      continue;
    }
    data.outputs.col(m) = Y.col(t);
    data.samples.push_back(t);
  }
  data.inputs.conservativeResize(Eigen::NoChange, static_cast<Index>(data.samples.size()));
  data.outputs.conservativeResize(Eigen::NoChange, static_cast<Index>(data.samples.size()));
  return data;
}

Vector calendar_hours(const Table& table) {
  std::vector<Index> columns = table.column_indices({"year", "month", "day"});
  const bool has_hour = table.has_column("hour");
  if (has_hour) columns.push_back(table.column("hour"));
  const Matrix parts = table.select(columns);
  Vector hours(parts.cols());
  for (Index i = 0; i < parts.cols(); ++i) {
    const double hour = has_hour ? parts(3, i) : 0;
    bool valid = hour >= 0 && hour < 24;
    const auto whole = [&](Index row) {
      const double value = parts(row, i);
      valid = valid && std::abs(value) <= 9999 && value == std::floor(value);
      return valid ? static_cast<int>(value) : 0;
    };
    const std::chrono::year_month_day date{std::chrono::year(whole(0)),
                                           std::chrono::month(static_cast<unsigned>(whole(1))),
                                           std::chrono::day(static_cast<unsigned>(whole(2)))};
    if (!valid || !date.ok())
      throw DataError(fmt::format("{}: sample {} has no valid date ({}-{}-{}, hour {})", table.source(),
                                  i + 1, parts(0, i), parts(1, i), parts(2, i), hour));
    hours(i) = 24.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) + hour;
  }
  return hours;
}

}  // namespace mbll
