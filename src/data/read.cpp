#include "mbll/data/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "bytes.hpp"
#include "csv_parser.hpp"
#include "mbll/error.hpp"
#include "mbll/parallel.hpp"
#include "npy.hpp"

namespace mbll {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

/// A part of the text that consists of whole lines.
struct Chunk {
  std::string_view text;
  Index line_ends = 0;
  Index first_line = 0;
  Index max_samples = 0;
  Index first_sample = 0;  // where its samples go, if no chunk before has a blank line
  Index samples = 0;
  bool quotes = false;
  std::vector<ColumnNotes> notes;
};

std::vector<Chunk> cut(std::string_view text) {
  std::vector<Chunk> chunks;
  while (!text.empty()) {
    std::size_t length = text.size();
    if (length > kChunk) {
      const std::size_t line_end = text.find('\n', kChunk);
      if (line_end != std::string_view::npos) length = line_end + 1;
    }
    chunks.emplace_back().text = text.substr(0, length);
    text.remove_prefix(length);
  }
  return chunks;
}

void count(Chunk& chunk) {
  const char* p = chunk.text.data();
  const char* end = p + chunk.text.size();
  chunk.quotes = std::memchr(p, '"', chunk.text.size()) != nullptr;
  while ((p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)))) != nullptr) {
    ++chunk.line_ends;
    ++p;
  }
}

/// Line numbers and places in the result. A line of C cells has at least C bytes, so that the room is never
/// more than a number per byte, whatever the file claims.
Index place(std::vector<Chunk>& chunks, Index columns, Index first_line) {
  Index samples = 0;
  for (Chunk& chunk : chunks) {
    const Index lines = chunk.line_ends + (chunk.text.back() == '\n' ? 0 : 1);
    chunk.max_samples = std::min(lines, static_cast<Index>(chunk.text.size()) / columns + 1);
    chunk.first_line = first_line;
    chunk.first_sample = samples;
    first_line += chunk.line_ends;
    samples += chunk.max_samples;
  }
  return samples;
}

/// Blank lines leave gaps between the chunks' samples: moves them together.
void close_gaps(const std::vector<Chunk>& chunks, Matrix& values) {
  Index samples = 0;
  for (const Chunk& chunk : chunks) {
    if (samples != chunk.first_sample)
      std::memmove(values.col(samples).data(), values.col(chunk.first_sample).data(),
                   sizeof(double) * static_cast<std::size_t>(chunk.samples * values.rows()));
    samples += chunk.samples;
  }
  if (samples != values.cols()) values.conservativeResize(Eigen::NoChange, samples);
}

std::vector<ColumnNotes> merge_notes(const std::vector<Chunk>& chunks, Index columns) {
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

Table read_csv(const std::string& source, std::string_view text, const ReadOptions& options) {
  const data::CsvLayout layout = data::read_layout(source, text, options);
  const int threads = thread_count(options.threads);
  text.remove_prefix(layout.body);
  std::vector<Chunk> chunks = cut(text);
  parallel_for(static_cast<Index>(chunks.size()), threads, [&](Index k) { count(chunks[k]); });
  if (chunks.size() > 1 &&
      std::any_of(chunks.begin(), chunks.end(), [](const Chunk& c) { return c.quotes; })) {
    // a line end inside quotes ends no line: only a pass from the front knows which are
    chunks.assign(1, {});
    chunks[0].text = text;
    count(chunks[0]);
  }
  const Index columns = layout.columns();
  Matrix values(columns, place(chunks, columns, layout.first_line));
  parallel_for(static_cast<Index>(chunks.size()), threads, [&](Index k) {
    Chunk& chunk = chunks[k];
    data::CsvParser parser(layout, chunk.first_line);
    std::string_view rest = chunk.text;
    if (chunk.max_samples > 0)
      chunk.samples = parser.parse(rest, chunk.max_samples, values.col(chunk.first_sample).data());
    chunk.notes = parser.take_notes();
  });
  close_gaps(chunks, values);
  if (values.cols() == 0) throw DataError(fmt::format("{}: has a header but no data", source));
  return Table(source, layout.names, std::move(values), merge_notes(chunks, columns));
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
  const data::ByteBuffer bytes = file.read_all();
  if (data::is_npy(bytes.view())) return data::read_npy(file.name(), bytes.view());
  if (data::is_npz(bytes.view())) return data::read_npz(file.name(), bytes.view());
  return read_csv(file.name(), {bytes.view().data(), bytes.size()}, options);
}

}  // namespace mbll
