#include "head.hpp"

#include <fmt/format.h>

#include "mbll/error.hpp"
#include "npy.hpp"

namespace mbll::data {
namespace {

constexpr std::size_t kHeadRead = std::size_t{1} << 16;

bool read_more(ByteSource& file, ByteBuffer& head) {
  const std::size_t count = file.read(head.room(kHeadRead).first(kHeadRead));
  head.added(count);
  return count > 0;
}

bool first_line_is_complete(const ByteSource& file, std::string_view text, const ReadOptions& options) {
  Index line = 1;
  const std::string_view content = text.substr(skip_to_content(text, line));
  if (content.size() > kLongestLine) refuse_long_line(file.name(), line);
  const char delimiter = options.delimiter != '\0' ? options.delimiter : detect_delimiter(content);
  return LineEndFinder(delimiter).feed(content) > 0;
}

}  // namespace

void refuse_long_line(const std::string& source, Index line) {
  throw DataError(fmt::format("{}:{}: the line is longer than {} MiB", source, line, kLongestLine >> 20));
}

bool read_magic(ByteSource& file, ByteBuffer& head) {
  constexpr std::size_t kMagic = 6;
  while (head.size() < kMagic && read_more(file, head)) {
  }
  return is_npy(head.view()) || is_npz(head.view());
}

CsvLayout read_header(ByteSource& file, ByteBuffer& head, const ReadOptions& options) {
  const auto text = [&] { return std::string_view(head.view().data(), head.size()); };
  while (!first_line_is_complete(file, text(), options) && read_more(file, head)) {
  }
  return read_layout(file.name(), text(), options);
}

}  // namespace mbll::data
