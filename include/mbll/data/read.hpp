#pragma once

#include <memory>
#include <string>

#include "mbll/data/table.hpp"

namespace mbll {

/// Whether the first line of a text file holds the names of the columns.
enum class Header {
  automatic,  ///< unless every cell of it is a number: then the columns are called x1, x2, …
  present,
  absent
};

struct ReadOptions {
  char delimiter = '\0';  ///< '\0': the most frequent of comma, tab and semicolon in the first line
  Header header = Header::automatic;
  /// By name or number: text there may be a date and time, which counts as seconds since 1970 (docs/data.md).
  std::string time_column;
  int threads = 0;  ///< 0: all processors. The result is the same for any number.

  /// Throws InvalidArgument if the delimiter is a quote, a blank or a line end.
  void validate() const;
};

/// Reads a whole file, or standard input if `path` is "-". By content: CSV or TSV text, the same in gzip,
/// NPY, NPZ. A cell that is empty or NA is missing. Numbers are rounded exactly. Formats: docs/data.md.
/// Throws DataError with file, line and column. Cost: one pass; about twice the file's size in memory.
[[nodiscard]] Table read_table(const std::string& path, const ReadOptions& options = {});

/// Reads the same formats block by block in constant memory (NPY and NPZ are read at once), so that a program
/// can stand in a pipe.
class TableStream {
 public:
  /// Reads the header. Throws like read_table.
  explicit TableStream(const std::string& path, const ReadOptions& options = {});
  ~TableStream();
  TableStream(TableStream&&) noexcept;
  TableStream& operator=(TableStream&&) noexcept;

  [[nodiscard]] const std::string& source() const;
  [[nodiscard]] const std::vector<std::string>& names() const;

  enum class Wait {
    full_block,     ///< up to `max_samples`, fewer only at the end: the same blocks whatever the pipe does
    complete_line,  ///< as soon as one line is complete, with whatever else has arrived by then
  };
  /// The next block, at most `max_samples` ≥ 1 samples; its storage is reused. Returns false, and an empty
  /// block, at the end. Throws DataError like read_table; the stream is then at its end.
  bool next(Index max_samples, Table& block, Wait wait = Wait::full_block);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mbll
