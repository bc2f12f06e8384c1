#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bytes.hpp"
#include "csv_parser.hpp"
#include "head.hpp"
#include "mbll/data/read.hpp"
#include "mbll/error.hpp"
#include "npy.hpp"

namespace mbll {
namespace {

constexpr std::size_t kStreamRead = std::size_t{1} << 18;

}  // namespace

struct TableStream::State {
  data::ByteSource file;
  ReadOptions options;
  Table table;  // the names; and all values of NPY and NPZ
  bool is_text = false;
  bool ended = false;
  bool failed = false;
  Index given = 0;  // samples

  // text only
  data::CsvLayout layout;
  std::optional<data::CsvParser> parser;
  std::optional<data::LineEndFinder> line_ends;
  data::ByteBuffer buffer;
  std::size_t complete = 0;  // the buffer's front part that consists of complete lines
  Matrix samples;            // C×max_samples

  State(const std::string& path, const ReadOptions& read_options) : file(path), options(read_options) {
    options.validate();
    if (data::read_magic(file, buffer)) {
      const bool one_array = data::is_npy(buffer.view());
      const data::ByteBuffer bytes = file.read_all(std::move(buffer));
      table =
          one_array ? data::read_npy(file.name(), bytes.view()) : data::read_npz(file.name(), bytes.view());
    } else {
      is_text = true;
      read_header();
    }
  }

  [[nodiscard]] std::string_view text() const { return {buffer.view().data(), buffer.size()}; }

  void read_header() {
    layout = data::read_header(file, buffer, options);
    parser.emplace(layout, layout.first_line);
    line_ends.emplace(layout.delimiter);
    buffer.drop_front(layout.body);
    complete = line_ends->feed(text());
    table = Table(file.name(), layout.names, Matrix(layout.columns(), 0), parser->take_notes());
  }

  /// Returns false, with everything complete, at the end of the file.
  bool read_lines() {
    if (buffer.size() > data::kLongestLine) data::refuse_long_line(file.name(), parser->line());
    const std::size_t before = buffer.size();
    const std::size_t count = file.read(buffer.room(kStreamRead).first(kStreamRead));
    buffer.added(count);
    if (count == 0) {
      complete = buffer.size();  // the last line may lack its line end
      return false;
    }
    const std::size_t length = line_ends->feed(text().substr(before));
    if (length > 0) complete = before + length;
    return true;
  }

  Index parse(Index max_samples, double* out) {
    std::string_view lines = text().substr(0, complete);
    const Index count = parser->parse(lines, max_samples, out);
    buffer.drop_front(complete - lines.size());
    complete = lines.size();
    return count;
  }

  Index next_text(Index max_samples, Wait wait) {
    if (failed) return 0;
    failed = true;  // stays so if a line is refused below
    samples.resize(layout.columns(), max_samples);
    Index count = parse(max_samples, samples.data());
    while (!ended && count < (wait == Wait::full_block ? max_samples : 1)) {
      ended = !read_lines();
      count += parse(max_samples - count, samples.data() + count * layout.columns());
    }
    if (given + count == 0) throw DataError(fmt::format("{}: has a header but no data", file.name()));
    failed = false;
    return count;
  }
};

TableStream::TableStream(const std::string& path, const ReadOptions& options)
    : state_(std::make_unique<State>(path, options)) {}
TableStream::~TableStream() = default;
TableStream::TableStream(TableStream&&) noexcept = default;
TableStream& TableStream::operator=(TableStream&&) noexcept = default;

const std::string& TableStream::source() const { return state_->file.name(); }
const std::vector<std::string>& TableStream::names() const { return state_->table.names(); }

bool TableStream::next(Index max_samples, Table& block, Wait wait) {
  check::require(max_samples >= 1, "max_samples", fmt::format("is {}, expected at least 1", max_samples));
  State& s = *state_;
  if (block.names_ != names()) {
    block.source_ = source();
    block.names_ = names();
  }
  if (s.is_text) {
    block.values_ = s.samples.leftCols(s.next_text(max_samples, wait));
    block.notes_ = s.parser->take_notes();
  } else {
    const Index count = std::min(max_samples, s.table.samples() - s.given);
    Table part(source(), names(), s.table.values().middleCols(s.given, count));
    block.values_ = std::move(part.values_);
    block.notes_ = std::move(part.notes_);
  }
  s.given += block.samples();
  return block.samples() > 0;
}

}  // namespace mbll
