#pragma once

#include <string>
#include <vector>

#include "mbll/data/missing.hpp"
#include "mbll/model/model.hpp"
#include "samples.hpp"

/// Data for a fit, and new data for a fitted model.
namespace mbll::app {

/// What --missing says of training data (error, drop, mean, interpolate) and of new data (not interpolate).
/// Both throw UsageError.
[[nodiscard]] MissingPolicy training_policy(const std::string& word);
[[nodiscard]] MissingPolicy new_data_policy(const std::string& word);

/// Throws DataError that names the first column which the model needs and the data does not have, with the
/// nearest name.
void check_columns(const Model& model, const std::string& source, const std::vector<std::string>& names,
                   bool targets);

/// Samples of a table with their targets, read at once. What was left out is logged.
[[nodiscard]] Samples read_observed(const Model& model, const std::string& path, const std::string& missing);

/// The samples from position `first` on that can be predicted.
[[nodiscard]] Samples predictable(const Table& table, const Model& model, MissingPolicy policy, Index first);

}  // namespace mbll::app
