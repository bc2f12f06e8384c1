#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mbll/core.hpp"

namespace mbll {

/// What a reader noticed in one column of a table.
struct ColumnNotes {
  Index missing = 0;             ///< cells without a value (they are NaN in the table)
  Index first_missing_line = 0;  ///< line of the first of them in the file; 0 if unknown
  std::string bad_text;          ///< first cell that is no finite number; empty if there is none
  Index bad_line = 0;            ///< its line in the file; 0 if unknown
  bool bad_is_number = false;    ///< it was a number, but not a finite one (nan, inf, 1e999)

  [[nodiscard]] bool numeric() const { return bad_text.empty(); }
};

/// Where a column is, by its name or by its number from 1 on; nothing if there is none.
[[nodiscard]] std::optional<Index> find_column(const std::vector<std::string>& names, const std::string& key);

/// Named numeric columns. Values are kept sample-per-column (C×N, one contiguous column per line of the
/// file), so that a selection of table columns is at once the q×N or p×N matrix that a fit needs. Columns
/// with text (a station's name, say) are carried along and refused only when somebody asks for them.
class Table {
 public:
  Table() = default;
  /// Throws InvalidArgument unless there is one distinct name per row of `values`. NaN means missing; an
  /// infinite value makes its column unusable.
  Table(std::string source, std::vector<std::string> names, Matrix values /* C×N */);
  /// For readers: with the notes they have taken.
  Table(std::string source, std::vector<std::string> names, Matrix values /* C×N */,
        std::vector<ColumnNotes> notes);

  /// Name of the file, "standard input", or what the maker of the table called it.
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const Matrix& values() const { return values_; }  ///< C×N; NaN = missing or text
  [[nodiscard]] const ColumnNotes& notes(Index column) const { return notes_[column]; }
  [[nodiscard]] Index columns() const { return values_.rows(); }
  [[nodiscard]] Index samples() const { return values_.cols(); }

  /// Index of the column with this name; if there is none and `key` is a whole number k with 1 ≤ k ≤ C, of
  /// the k-th column. Throws DataError with the nearest name and the list of columns.
  [[nodiscard]] Index column(const std::string& key) const;
  /// Same for several. Throws DataError if two keys mean the same column.
  [[nodiscard]] std::vector<Index> column_indices(const std::vector<std::string>& keys) const;
  [[nodiscard]] bool has_column(const std::string& name) const;

  /// The chosen columns as a q×N matrix, missing values as NaN. Throws DataError naming line and column if
  /// one of them holds text or a number that is not finite. Cost O(qN).
  [[nodiscard]] Matrix select(const std::vector<Index>& columns) const;

  /// "column 'y' (3)", as error messages name it.
  [[nodiscard]] std::string describe(Index column) const;
  /// "file.csv:17", or "file.csv" if the line is 0.
  [[nodiscard]] std::string place(Index line) const;

 private:
  friend class TableStream;  // refills the values of its block in place

  std::string source_;
  std::vector<std::string> names_;
  Matrix values_;
  std::vector<ColumnNotes> notes_;
};

/// The named samples of a sample-per-column matrix, in the given order. Throws InvalidArgument for an index
/// outside.
[[nodiscard]] Matrix take_samples(const MatrixView& values /* q×N */, const std::vector<Index>& samples);

}  // namespace mbll
