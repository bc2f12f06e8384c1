#include "mbll/data/missing.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "mbll/data/nearest_name.hpp"
#include "mbll/data/scaler.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

const std::vector<std::string> kPolicies = {"error", "drop", "mean", "interpolate"};

[[noreturn]] void refuse(const Table& table, const std::vector<Index>& columns) {
  const Index* first = nullptr;
  std::string others;
  for (const Index& c : columns) {
    if (table.notes(c).missing == 0) continue;
    if (first == nullptr)
      first = &c;
    else
      others += fmt::format(", '{}' {}", table.names()[c], table.notes(c).missing);
  }
  const ColumnNotes& note = table.notes(*first);
  throw DataError(fmt::format("{}: {}: {} missing value{}{}; choose drop, mean or interpolate to go on",
                              table.place(note.first_missing_line), table.describe(*first), note.missing,
                              note.missing == 1 ? "" : "s, this is the first",
                              others.empty() ? "" : " (also" + others.substr(1) + ")"));
}

/// Mean of what is there, by the scaler's overflow-free sums.
double mean_of_present(const Matrix& values, Index row) {
  Matrix present(1, values.cols());
  Index count = 0;
  for (Index i = 0; i < values.cols(); ++i)
    if (!std::isnan(values(row, i))) present(0, count++) = values(row, i);
  return Scaler::fit(present.leftCols(count)).mean(0);
}

void interpolate(Matrix& values, Index row) {
  Index before = -1;
  for (Index i = 0; i < values.cols(); ++i) {
    if (std::isnan(values(row, i))) continue;
    for (Index k = before + 1; k < i; ++k) {
      const double t = static_cast<double>(k - before) / static_cast<double>(i - before);
      values(row, k) = before < 0 ? values(row, i) : (1 - t) * values(row, before) + t * values(row, i);
    }
    before = i;
  }
  for (Index k = before + 1; k < values.cols(); ++k) values(row, k) = values(row, before);
}

void drop(CompleteData& data) {
  Index kept = 0;
  data.samples.clear();
  for (Index i = 0; i < data.values.cols(); ++i) {
    if (data.values.col(i).hasNaN()) continue;
    if (kept != i) data.values.col(kept) = data.values.col(i);
    data.samples.push_back(i);
    ++kept;
  }
  data.report.dropped = data.values.cols() - kept;
  data.values.conservativeResize(Eigen::NoChange, kept);
}

}  // namespace

MissingPolicy parse_missing_policy(const std::string& word) {
  for (std::size_t k = 0; k < kPolicies.size(); ++k)
    if (kPolicies[k] == word) return static_cast<MissingPolicy>(k);
  const std::string nearest = nearest_name(word, kPolicies);
  throw InvalidArgument(fmt::format("missing: '{}' is not known{}; choose error, drop, mean or interpolate",
                                    word,
                                    nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)));
}

const char* to_string(MissingPolicy policy) { return kPolicies[static_cast<std::size_t>(policy)].c_str(); }

CompleteData select_complete(const Table& table, const std::vector<Index>& columns, MissingPolicy policy) {
  CompleteData data;
  data.values = table.select(columns);
  data.samples.resize(table.samples());
  std::iota(data.samples.begin(), data.samples.end(), Index{0});
  data.report.policy = policy;
  for (const Index c : columns)
    if (table.notes(c).missing > 0) data.report.columns.push_back({table.names()[c], table.notes(c).missing});
  if (data.report.empty()) return data;
  if (policy == MissingPolicy::error) refuse(table, columns);
  if (policy == MissingPolicy::drop) {
    drop(data);
    if (data.samples.empty())
      throw DataError(fmt::format("{}: no sample has a value in every used column", table.source()));
    return data;
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Index missing = table.notes(columns[k]).missing;
    const auto row = static_cast<Index>(k);
    if (missing == 0) continue;
    if (missing == table.samples())
      throw DataError(fmt::format("{}: {} has no value at all", table.source(), table.describe(columns[k])));
    if (policy == MissingPolicy::mean)
      fill_missing(data.values.middleRows(row, 1), Vector::Constant(1, mean_of_present(data.values, row)));
    else
      interpolate(data.values, row);
    data.report.filled += missing;
  }
  return data;
}

Index fill_missing(MatrixSpan X, const VectorView& values) {
  check::size("values", values, X.rows());
  Index filled = 0;
  for (Index i = 0; i < X.cols(); ++i)
    for (Index j = 0; j < X.rows(); ++j)
      if (std::isnan(X(j, i))) {
        X(j, i) = values(j);
        ++filled;
      }
  return filled;
}

}  // namespace mbll
