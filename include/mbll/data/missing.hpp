#pragma once

#include <string>
#include <vector>

#include "mbll/core.hpp"
#include "mbll/data/table.hpp"

namespace mbll {

/// What to do with samples that lack a value in one of the used columns.
enum class MissingPolicy {
  error,        ///< refuse the data
  drop,         ///< leave the sample out
  mean,         ///< the mean of the values that are there
  interpolate,  ///< linear between the neighbours in file order (time-ordered data); the ends are held
};

/// Throws InvalidArgument for another word than error, drop, mean, interpolate.
[[nodiscard]] MissingPolicy parse_missing_policy(const std::string& word);
[[nodiscard]] const char* to_string(MissingPolicy policy);

struct MissingReport {
  struct Column {
    std::string name;
    Index missing = 0;
  };
  MissingPolicy policy = MissingPolicy::error;
  std::vector<Column> columns;  ///< only those with missing values
  Index dropped = 0;            ///< samples left out
  Index filled = 0;             ///< values put in
  [[nodiscard]] bool empty() const { return columns.empty(); }
};

struct CompleteData {
  Matrix values;               ///< q×N', no missing value
  std::vector<Index> samples;  ///< N', which samples of the table these are
  MissingReport report;
};

/// The chosen columns without missing values. Throws DataError for policy `error` if there is one (first line
/// and count per column), if a column has no value at all, if dropping leaves nothing, and like
/// Table::select. Cost O(qN).
[[nodiscard]] CompleteData select_complete(const Table& table, const std::vector<Index>& columns,
                                           MissingPolicy policy);

/// Puts values(j) in the place of every missing entry of row j: new data filled with what is known from
/// training. Returns how many. Throws InvalidArgument unless there is one value per row.
Index fill_missing(MatrixSpan X /* q×N */, const VectorView& values /* q */);

}  // namespace mbll
