#include "mbll/data/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "bytes.hpp"
#include "csv_parser.hpp"
#include "head.hpp"
#include "mbll/error.hpp"
#include "mbll/parallel.hpp"
#include "npy.hpp"

namespace mbll {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kRead = std::size_t{1} << 18;

/// Complete lines of the file, and what became of them.
struct Chunk {
  Index first_line = 0;
  std::unique_ptr<double[]> values;  // C×samples
  Index samples = 0;
  std::vector<ColumnNotes> notes;
};

/// memchr is vectorised by the C library whatever this is compiled for; std::count is not.
Index count_line_ends(std::string_view text) {
  Index count = 0;
  while (!text.empty()) {
    const void* found = std::memchr(text.data(), '\n', text.size());
    if (found == nullptr) break;
    ++count;
    text.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1);
  }
  return count;
}

/// Cuts the file into pieces of complete lines. Reading small pieces to the same place beats one large
/// buffer: its pages alone cost as much as a third of the parsing.
class ChunkSource {
 public:
  /// `head` is what has been read so far, from the first line with data on.
  ChunkSource(data::ByteSource& file, const data::CsvLayout& layout, std::string_view head)
      : file_(file), line_ends_(layout.delimiter), line_(layout.first_line) {
    append(carry_, head);
    complete_ = line_ends_.feed(head);
  }

  /// Puts the next lines to `text`; returns the number of the first of them, 0 at the end.
  Index next(data::ByteBuffer& text) {
    text.drop_front(text.size());
    append(text, view(carry_));
    carry_.drop_front(carry_.size());
    std::size_t complete = std::exchange(complete_, 0);
    while (!ended_ && (complete == 0 || text.size() < kChunk)) {
      if (text.size() - complete > data::kLongestLine) data::refuse_long_line(file_.name(), line_);
      const std::size_t before = text.size();
      const std::size_t count = file_.read(text.room(kRead).first(kRead));
      text.added(count);
      ended_ = count == 0;
      const std::size_t length = line_ends_.feed(view(text).substr(before));
      if (length > 0) complete = before + length;
    }
    if (!ended_) {
      append(carry_, view(text).substr(complete));
      text.drop_back(text.size() - complete);
    }
    if (text.size() == 0) return 0;
    return std::exchange(line_, line_ + count_line_ends(view(text)));
  }

  static std::string_view view(const data::ByteBuffer& buffer) {
    return {buffer.view().data(), buffer.size()};
  }

 private:
  static void append(data::ByteBuffer& buffer, std::string_view bytes) {
    std::copy(bytes.begin(), bytes.end(), buffer.room(bytes.size()).begin());
    buffer.added(bytes.size());
  }

  data::ByteSource& file_;
  data::LineEndFinder line_ends_;
  Index line_;
  data::ByteBuffer carry_;
  std::size_t complete_ = 0;  // of carry_
  bool ended_ = false;
};

/// A line of C cells has at least C bytes: the room is never more than a number per byte, whatever the file
/// claims.
void parse(const data::CsvLayout& layout, std::string_view text, Chunk& chunk) {
  const Index columns = layout.columns();
  const Index lines = count_line_ends(text) + 1;
  const Index max_samples = std::min(lines, static_cast<Index>(text.size()) / columns + 1);
  chunk.values = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(max_samples * columns));
  data::CsvParser parser(layout, chunk.first_line);
  chunk.samples = parser.parse(text, max_samples, chunk.values.get());
  chunk.notes = parser.take_notes();
}

/// All chunks in the file's order. Whoever is free takes the next one; a mistake ends the reading, and the
/// first in the file is the one reported: chunks before it have been taken before.
std::deque<Chunk> parse_all(const data::CsvLayout& layout, ChunkSource& source, int threads) {
  std::deque<Chunk> chunks;  // stays in place while it grows
  std::mutex mutex;
  bool stop = false;
  std::exception_ptr failure;
  Index failed_line = 0;
  parallel_for(threads, threads, [&](Index) {
    data::ByteBuffer text;
    for (;;) {
      Chunk* chunk = nullptr;
      Index first_line = 0;
      try {
        {
          const std::scoped_lock lock(mutex);
          if (stop) return;
          stop = true;  // stays so at the end and after a failure
          first_line = source.next(text);
          if (first_line == 0) return;
          chunk = &chunks.emplace_back();
          chunk->first_line = first_line;
          stop = false;
        }
        parse(layout, ChunkSource::view(text), *chunk);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        stop = true;
        // a failure of reading has no line and comes after all that could be read
        const Index line = first_line == 0 ? std::numeric_limits<Index>::max() : first_line;
        if (!failure || line < failed_line) {
          failure = std::current_exception();
          failed_line = line;
        }
        return;
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
  return chunks;
}

Matrix join(const std::deque<Chunk>& chunks, Index columns, int threads) {
  std::vector<Index> first(chunks.size() + 1);
  for (std::size_t k = 0; k < chunks.size(); ++k) first[k + 1] = first[k] + chunks[k].samples;
  Matrix values(columns, first.back());
  parallel_for(static_cast<Index>(chunks.size()), threads, [&](Index k) {
    std::copy_n(chunks[k].values.get(), chunks[k].samples * columns, values.data() + first[k] * columns);
  });
  return values;
}

std::vector<ColumnNotes> merge_notes(const std::deque<Chunk>& chunks, Index columns) {
  std::vector<ColumnNotes> notes(columns);
  for (const Chunk& chunk : chunks)
    for (Index c = 0; c < columns; ++c) {
      const ColumnNotes& from = chunk.notes[c];
      ColumnNotes& to = notes[c];
      if (to.missing == 0) to.first_missing_line = from.first_missing_line;
      to.missing += from.missing;
      if (to.numeric() && !from.numeric()) {
        to.bad_text = from.bad_text;
        to.bad_line = from.bad_line;
        to.bad_is_number = from.bad_is_number;
      }
    }
  return notes;
}

Table read_csv(data::ByteSource& file, data::ByteBuffer head, const ReadOptions& options) {
  const int threads = thread_count(options.threads);
  const data::CsvLayout layout = data::read_header(file, head, options);
  ChunkSource source(file, layout, ChunkSource::view(head).substr(layout.body));
  const std::deque<Chunk> chunks = parse_all(layout, source, threads);
  Matrix values = join(chunks, layout.columns(), threads);
  if (values.cols() == 0) throw DataError(fmt::format("{}: has a header but no data", file.name()));
  return Table(file.name(), layout.names, std::move(values), merge_notes(chunks, layout.columns()));
}

}  // namespace

void ReadOptions::validate() const {
  const char d = delimiter;
  check::require(d != '"' && d != '\n' && d != '\r' && d != ' ', "delimiter",
                 "cannot be a quote, blank or line end");
}

Table read_table(const std::string& path, const ReadOptions& options) {
  options.validate();
  data::ByteSource file(path);
  data::ByteBuffer head;
  if (data::read_magic(file, head)) {
    const data::ByteBuffer bytes = file.read_all(std::move(head));
    return data::is_npy(bytes.view()) ? data::read_npy(file.name(), bytes.view())
                                      : data::read_npz(file.name(), bytes.view());
  }
  return read_csv(file, std::move(head), options);
}

}  // namespace mbll
