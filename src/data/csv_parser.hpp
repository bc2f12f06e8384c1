#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mbll/data/read.hpp"
#include "mbll/data/table.hpp"

/// The grammar of delimited text, shared by the reader of whole files and by the stream. Internal to data/.
namespace mbll::data {

/// What the first line tells.
struct CsvLayout {
  std::string source;
  char delimiter = ',';
  std::vector<std::string> names;
  std::size_t body = 0;    ///< where the first line with data begins
  Index first_line = 1;    ///< its number
  Index time_column = -1;  ///< whose text may be a date and time
  [[nodiscard]] Index columns() const { return static_cast<Index>(names.size()); }
};

/// Length of the byte order mark and blank lines in front of the first line with content; counts those lines
/// in `line`.
[[nodiscard]] std::size_t skip_to_content(std::string_view text, Index& line);

/// The most frequent of comma, tab and semicolon in the first line.
[[nodiscard]] char detect_delimiter(std::string_view text);

/// `text` begins with the file and holds at least its first line with content. Throws DataError for an empty
/// file and for names that appear twice.
[[nodiscard]] CsvLayout read_layout(const std::string& source, std::string_view text,
                                    const ReadOptions& options);

/// Turns lines into numbers and takes notes of what is no number. One per thread.
class CsvParser {
 public:
  CsvParser(const CsvLayout& layout, Index first_line)
      : layout_(layout), line_(first_line), notes_(layout.names.size()) {}

  /// Parses up to `max_samples` lines from the front of `text`, `columns()` numbers each, to `out`; returns
  /// how many. Blank lines are skipped. `text` is moved on behind what was read. Throws DataError for a line
  /// with another number of fields.
  Index parse(std::string_view& text, Index max_samples, double* out);

  [[nodiscard]] Index line() const { return line_; }
  /// What was noticed since the last call.
  [[nodiscard]] std::vector<ColumnNotes> take_notes();

 private:
  const char* parse_line(const char* p, const char* end, double* out);
  double interpret(std::string_view cell, Index column);

  const CsvLayout& layout_;
  Index line_;
  std::vector<ColumnNotes> notes_;
  std::string scratch_;
};

/// Finds how far a growing text consists of complete lines (a line end inside quotes ends no line).
class LineEndFinder {
 public:
  explicit LineEndFinder(char delimiter) : delimiter_(delimiter) {}
  /// Looks at the next piece; returns the length of its part up to and with the last line end, 0 if there is
  /// none.
  std::size_t feed(std::string_view piece);

 private:
  enum class State { field_start, plain, quoted, after_quote };
  char delimiter_;
  State state_ = State::field_start;
};

}  // namespace mbll::data
