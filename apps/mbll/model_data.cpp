#include "model_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "command.hpp"
#include "mbll/data/nearest_name.hpp"
#include "mbll/data/read.hpp"
#include "mbll/error.hpp"

namespace mbll::app {

MissingPolicy training_policy(const std::string& word) {
  try {
    return parse_missing_policy(word);
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("--{}", error.what()));
  }
}

MissingPolicy new_data_policy(const std::string& word) {
  if (word == "error" || word == "drop" || word == "mean") return parse_missing_policy(word);
  throw UsageError(fmt::format("--missing: '{}', expected error, drop or mean", word));
}

void check_columns(const Model& model, const std::string& source, const std::vector<std::string>& names,
                   bool targets) {
  const Columns columns = columns_of(model);
  std::vector<std::pair<std::string, const char*>> needed;
  for (const std::string& name : columns.inputs) needed.emplace_back(name, "input");
  if (targets)
    for (const std::string& name : columns.targets) needed.emplace_back(name, "target");
  if (!columns.noise.empty()) needed.emplace_back(columns.noise, "noise");
  if (!columns.lags.time.empty() && columns.lags.time != "calendar")
    needed.emplace_back(columns.lags.time, "time");
  for (const auto& [name, role] : needed) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string nearest = nearest_name(name, names);
    throw DataError(fmt::format(
        "{}: the model needs the {} column '{}', which is not there{}; columns: {}", source, role, name,
        nearest.empty() ? "" : fmt::format(" (the nearest is '{}')", nearest), fmt::join(names, ", ")));
  }
}

Samples read_observed(const Model& model, const std::string& path, const std::string& missing) {
  const MissingPolicy policy = new_data_policy(missing);
  const Table table = read_table(path, {.time_column = model.parts().lags.time});
  check_columns(model, table.source(), table.names(), true);
  Samples samples = model_samples(table, model, policy, true);
  for (const std::string& note : samples.notes) spdlog::info("{}: {}", table.source(), note);
  return samples;
}

Samples predictable(const Table& table, const Model& model, MissingPolicy policy, Index first) {
  Samples samples = model_samples(table, model, policy, false);
  const auto begin = std::lower_bound(samples.positions.begin(), samples.positions.end(), first);
  const Index skip = begin - samples.positions.begin();
  if (skip == 0) return samples;
  const Index count = samples.X.cols() - skip;
  samples.X = samples.X.rightCols(count).eval();
  samples.Y.resize(0, count);
  if (samples.sigma.size() > 0) samples.sigma = samples.sigma.tail(count).eval();
  samples.positions.erase(samples.positions.begin(), begin);
  return samples;
}

}  // namespace mbll::app
