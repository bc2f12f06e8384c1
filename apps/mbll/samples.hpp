#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mbll/data/missing.hpp"
#include "mbll/data/table.hpp"
#include "mbll/model/fit.hpp"

/// From a table to the matrices of a fit or a prediction.
namespace mbll::app {

/// Which columns mean what. Names as in the file.
struct Columns {
  std::vector<std::string> inputs;
  std::vector<std::string> targets;
  std::string noise;  ///< given σ, or empty
  LagSpec lags;       ///< empty for plain regression
};

struct Samples {
  Matrix X;                              ///< q×N, lagged if the columns say so
  Matrix Y;                              ///< p×N; without columns when targets are not needed
  Vector sigma;                          ///< N, or empty
  Vector time;                           ///< N, or empty
  std::vector<std::string> input_names;  ///< q
  std::vector<Index> positions;          ///< N: which samples of the table
  std::vector<std::string> notes;        ///< what was left out or filled in, for people
};

/// What missing values become in a fit: `policy` for inputs; a missing target cannot be replaced by a mean,
/// such samples are left out then. Throws DataError naming file and column.
[[nodiscard]] Samples training_samples(const Table& table, const Columns& columns, MissingPolicy policy);

/// The same for a fitted model: missing inputs become the means of the training data, and targets are taken
/// only where they are needed; where they are not, no sample may be left. Policies: error, drop, mean.
[[nodiscard]] Samples model_samples(const Table& table, const Model& model, MissingPolicy policy,
                                    bool targets_needed);

/// The columns that a model asks for.
[[nodiscard]] Columns columns_of(const Model& model);

/// Seconds since 1970 of a time column: "calendar" reads year, month, day and hour. Hours are converted.
[[nodiscard]] Vector time_of(const Table& table, const std::string& column);

/// Every numeric column that serves nothing else. Columns of nothing but text are named in `notes`.
[[nodiscard]] std::vector<std::string> default_inputs(const Table& table,
                                                      const std::vector<std::string>& taken,
                                                      std::vector<std::string>& notes);

/// The names of columns that keys (names or numbers) mean. Throws DataError with the nearest name.
[[nodiscard]] std::vector<std::string> resolve(const Table& table, const std::vector<std::string>& keys);

}  // namespace mbll::app
