#include "mbll/data/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "mbll/data/nearest_name.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

/// Long tables are not listed in full: the error must stay readable.
std::string listing(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 30;
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, … ({} in all)", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size());
}

std::vector<ColumnNotes> take_notes(const Matrix& values) {
  std::vector<ColumnNotes> notes(values.rows());
  for (Index i = 0; i < values.cols(); ++i)
    for (Index c = 0; c < values.rows(); ++c) {
      const double value = values(c, i);
      if (std::isnan(value)) {
        ++notes[c].missing;
      } else if (std::isinf(value) && notes[c].numeric()) {
        notes[c].bad_text = fmt::format("{}", value);
        notes[c].bad_is_number = true;
      }
    }
  return notes;
}

}  // namespace

Table::Table(std::string source, std::vector<std::string> names, Matrix values)
    : source_(std::move(source)),
      names_(std::move(names)),
      values_(std::move(values)),
      notes_(take_notes(values_)) {
  check::require(static_cast<Index>(names_.size()) == values_.rows(), "names",
                 fmt::format("{} names for {} columns", names_.size(), values_.rows()));
  std::unordered_set<std::string> seen;
  for (const std::string& name : names_)
    check::require(seen.insert(name).second, "names", fmt::format("'{}' appears twice", name));
}

Table::Table(std::string source, std::vector<std::string> names, Matrix values,
             std::vector<ColumnNotes> notes)
    : source_(std::move(source)),
      names_(std::move(names)),
      values_(std::move(values)),
      notes_(std::move(notes)) {}

bool Table::has_column(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::optional<Index> find_column(const std::vector<std::string>& names, const std::string& key) {
  const auto found = std::find(names.begin(), names.end(), key);
  if (found != names.end()) return found - names.begin();
  Index number = 0;
  const char* end = key.data() + key.size();
  const auto [last, code] = std::from_chars(key.data(), end, number);
  const bool valid =
      code == std::errc() && last == end && number >= 1 && number <= static_cast<Index>(names.size());
  return valid ? std::optional(number - 1) : std::nullopt;
}

Index Table::column(const std::string& key) const {
  if (const auto found = find_column(names_, key)) return *found;
  const std::string nearest = nearest_name(key, names_);
  throw DataError(fmt::format("{}: no column '{}'{}; columns: {}", source_, key,
                              nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest),
                              listing(names_)));
}

std::vector<Index> Table::column_indices(const std::vector<std::string>& keys) const {
  std::vector<Index> result;
  std::unordered_set<Index> seen;
  result.reserve(keys.size());
  for (const std::string& key : keys) {
    result.push_back(column(key));
    if (!seen.insert(result.back()).second)
      throw DataError(fmt::format("{}: {} is asked for twice", source_, describe(result.back())));
  }
  return result;
}

Matrix Table::select(const std::vector<Index>& columns) const {
  for (const Index c : columns) {
    check::require(c >= 0 && c < this->columns(), "columns",
                   fmt::format("{} is outside 0…{}", c, this->columns() - 1));
    const ColumnNotes& note = notes_[c];
    if (!note.numeric())
      throw DataError(fmt::format("{}: {}: '{}' is not a {}number", place(note.bad_line), describe(c),
                                  note.bad_text, note.bad_is_number ? "finite " : ""));
  }
  Matrix result(static_cast<Index>(columns.size()), samples());
  for (Index i = 0; i < samples(); ++i)
    for (std::size_t k = 0; k < columns.size(); ++k)
      result(static_cast<Index>(k), i) = values_(columns[k], i);
  return result;
}

std::string Table::describe(Index column) const {
  return fmt::format("column '{}' ({})", names_[column], column + 1);
}

std::string Table::place(Index line) const {
  return line > 0 ? fmt::format("{}:{}", source_, line) : source_;
}

Matrix take_samples(const MatrixView& values, const std::vector<Index>& samples) {
  Matrix result(values.rows(), static_cast<Index>(samples.size()));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] < 0 || samples[i] >= values.cols())
      throw InvalidArgument(fmt::format("samples: {} is outside 0…{}", samples[i], values.cols() - 1));
    result.col(static_cast<Index>(i)) = values.col(samples[i]);
  }
  return result;
}

}  // namespace mbll
