#include "samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbll/data/lags.hpp"
#include "mbll/error.hpp"

namespace mbll::app {
namespace {

/// Squares of larger values, and with them variances, do not exist in double.
constexpr double largest = 1e150;

using Names = std::vector<std::string>;

/// One row per column of the table, NaN where a value is missing.
struct Raw {
  Matrix X, Y;
  Vector sigma;
  Vector time;
};

void check_range(const Table& table, const Names& names, const Matrix& values) {
  for (Index j = 0; j < values.rows(); ++j)
    for (Index i = 0; i < values.cols(); ++i)
      if (std::abs(values(j, i)) > largest)
        throw DataError(
            fmt::format("{}: {}, sample {}: {} is too large, expected at most 1e150 in absolute "
                        "value: change the unit",
                        table.source(), table.describe(table.column(names[j])), i + 1, values(j, i)));
}

Matrix take(const Table& table, const Names& names) {
  Matrix values = table.select(table.column_indices(names));
  check_range(table, names, values);
  return values;
}

Raw read(const Table& table, const Columns& columns, bool targets) {
  if (table.samples() == 0)
    throw DataError(
        fmt::format("{}: has no samples, only the names of {} columns", table.source(), table.columns()));
  Raw raw;
  raw.X = take(table, columns.inputs);
  raw.Y = targets ? take(table, columns.targets) : Matrix(0, table.samples());
  if (!columns.noise.empty()) {
    raw.sigma = take(table, {columns.noise}).row(0).transpose();
    for (Index i = 0; i < raw.sigma.size(); ++i)
      if (raw.sigma(i) <= 0)
        throw DataError(fmt::format("{}: {}, sample {}: {} is not a standard deviation, expected > 0",
                                    table.source(), table.describe(table.column(columns.noise)), i + 1,
                                    raw.sigma(i)));
  }
  if (!columns.lags.time.empty()) raw.time = time_of(table, columns.lags.time);
  return raw;
}

/// Refuses missing values in the way of the policy `error`: first line and count per column.
void refuse_missing(const Table& table, const Columns& columns, bool targets) {
  Names names = columns.inputs;
  if (targets) names.insert(names.end(), columns.targets.begin(), columns.targets.end());
  if (!columns.noise.empty()) names.push_back(columns.noise);
  (void)select_complete(table, table.column_indices(names), MissingPolicy::error);
}

void note_filled(Samples& samples, Index filled, const char* with) {
  if (filled > 0)
    samples.notes.push_back(
        fmt::format("{} missing value{} replaced by {}", filled, filled == 1 ? "" : "s", with));
}

/// The named samples of everything.
void keep(Samples& samples, const std::vector<Index>& kept) {
  samples.X = take_samples(samples.X, kept);
  samples.Y = take_samples(samples.Y, kept);
  const auto part = [&](Vector& values) {
    if (values.size() > 0) values = take_samples(values.transpose(), kept).transpose();
  };
  part(samples.sigma);
  part(samples.time);
  std::vector<Index> positions;
  for (const Index i : kept) positions.push_back(samples.positions[static_cast<std::size_t>(i)]);
  samples.positions = std::move(positions);
}

/// Leaves out samples with a missing value.
void drop_missing(Samples& samples) {
  std::vector<Index> kept;
  for (Index i = 0; i < samples.X.cols(); ++i)
    if (!samples.X.col(i).hasNaN() && !samples.Y.col(i).hasNaN() &&
        (samples.sigma.size() == 0 || !std::isnan(samples.sigma(i))) &&
        (samples.time.size() == 0 || !std::isnan(samples.time(i))))
      kept.push_back(i);
  const Index dropped = samples.X.cols() - std::ssize(kept);
  if (dropped == 0) return;
  samples.notes.push_back(
      fmt::format("{} of {} samples left out: missing values", dropped, samples.X.cols()));
  keep(samples, kept);
}

void require_some(const Samples& samples, const Table& table, const Columns& columns) {
  if (samples.X.cols() > 0) return;
  if (columns.lags.empty())
    throw DataError(fmt::format("{}: every sample has a missing value", table.source()));
  throw DataError(fmt::format("{}: no sample has the complete past that lags {},{} need", table.source(),
                              columns.lags.input_order, columns.lags.output_order));
}

Samples plain(Raw raw, const Columns& columns) {
  Samples samples;
  samples.positions.resize(static_cast<std::size_t>(raw.X.cols()));
  std::iota(samples.positions.begin(), samples.positions.end(), Index{0});
  samples.X = std::move(raw.X);
  samples.Y = std::move(raw.Y);
  samples.sigma = std::move(raw.sigma);
  samples.time = std::move(raw.time);
  samples.input_names = columns.inputs;
  return samples;
}

/// Regressors from the past. Missing values leave out the samples that need them.
Samples lagged(const Table& table, const Raw& raw, const Columns& columns, bool targets_needed) {
  LagOptions options;
  options.input_order = columns.lags.input_order;
  options.output_order = columns.lags.output_order;
  options.step = columns.lags.step;
  options.outputs_needed = targets_needed;
  LaggedData data;
  try {
    data = build_lags(raw.X, columns.inputs, raw.Y, columns.targets, options, raw.time);
  } catch (const InvalidArgument& error) {
    throw DataError(fmt::format("{}: {}", table.source(), error.what()));
  }
  Samples samples;
  samples.X = std::move(data.inputs);
  samples.Y = std::move(data.outputs);
  samples.input_names = std::move(data.input_names);
  samples.positions = std::move(data.samples);
  const auto part = [&](const Vector& values) -> Vector {
    return values.size() == 0 ? Vector()
                              : Vector(take_samples(values.transpose(), samples.positions).transpose());
  };
  samples.sigma = part(raw.sigma);
  samples.time = part(raw.time);
  samples.notes.push_back(fmt::format(
      "{} of {} samples have their past: {} at the start, {} at gaps, {} with "
      "missing values left out",
      samples.X.cols(), table.samples(), data.dropped_start, data.dropped_gaps, data.dropped_missing));
  return samples;
}

Index fill_rows(Matrix& values, const Matrix& complete) {
  const Index missing = values.array().isNaN().count();
  values = complete;
  return missing;
}

}  // namespace

std::vector<std::string> resolve(const Table& table, const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (const Index column : table.column_indices(keys))
    names.push_back(table.names()[static_cast<std::size_t>(column)]);
  return names;
}

Vector time_of(const Table& table, const std::string& column) {
  if (column == "calendar" && !table.has_column("calendar")) return 3600 * calendar_hours(table);
  return table.select({table.column(column)}).row(0).transpose();
}

std::vector<std::string> default_inputs(const Table& table, const std::vector<std::string>& taken,
                                        std::vector<std::string>& notes) {
  std::vector<std::string> inputs;
  std::vector<std::string> texts;
  for (Index column = 0; column < table.columns(); ++column) {
    const std::string& name = table.names()[static_cast<std::size_t>(column)];
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) continue;
    // A column with a number anywhere is meant to be numeric: a stray word in it is refused, not hidden.
    const bool text = !table.notes(column).numeric() && table.values().row(column).array().isNaN().all();
    (text ? texts : inputs).push_back(name);
  }
  if (!texts.empty())
    notes.push_back(fmt::format("columns of text are not inputs: {}", fmt::join(texts, ", ")));
  if (inputs.empty())
    throw DataError(
        fmt::format("{}: no column is left as input beside {}", table.source(), fmt::join(taken, ", ")));
  return inputs;
}

Columns columns_of(const Model& model) {
  const Model::Parts& parts = model.parts();
  return {parts.lags.empty() ? parts.input_names : parts.lags.inputs, parts.output_names, parts.noise_column,
          parts.lags};
}

Samples training_samples(const Table& table, const Columns& columns, MissingPolicy policy) {
  if (policy == MissingPolicy::error && table.samples() > 0) refuse_missing(table, columns, true);
  Raw raw = read(table, columns, true);
  Samples notes;
  const auto fill = [&](Matrix& values, const Names& names) {
    return fill_rows(values, select_complete(table, table.column_indices(names), policy).values);
  };
  if (policy == MissingPolicy::mean) note_filled(notes, fill(raw.X, columns.inputs), "the column's mean");
  if (policy == MissingPolicy::interpolate)
    note_filled(notes, fill(raw.X, columns.inputs) + fill(raw.Y, columns.targets), "interpolation");
  Samples samples = columns.lags.empty() ? plain(std::move(raw), columns) : lagged(table, raw, columns, true);
  samples.notes.insert(samples.notes.begin(), notes.notes.begin(), notes.notes.end());
  drop_missing(samples);
  require_some(samples, table, columns);
  return samples;
}

Samples model_samples(const Table& table, const Model& model, MissingPolicy policy, bool targets_needed) {
  const Columns columns = columns_of(model);
  const bool lags = !columns.lags.empty();
  const bool targets = targets_needed || lags;  // the past of the targets is an input
  if (policy == MissingPolicy::error && table.samples() > 0) refuse_missing(table, columns, targets_needed);
  Raw raw = read(table, columns, targets);
  Samples samples = lags ? lagged(table, raw, columns, targets_needed) : plain(std::move(raw), columns);
  if (policy == MissingPolicy::mean)
    note_filled(samples, fill_missing(samples.X, model.parts().inputs.mean), "the mean of the training data");
  if (!targets_needed) samples.Y.resize(0, samples.X.cols());
  drop_missing(samples);
  if (targets_needed) require_some(samples, table, columns);
  return samples;
}

}  // namespace mbll::app
