#pragma once

#include "bytes.hpp"
#include "csv_parser.hpp"

/// The beginning of a file, where both ways of reading start alike. Internal to data/.
namespace mbll::data {

constexpr std::size_t kLongestLine = std::size_t{1} << 26;
[[noreturn]] void refuse_long_line(const std::string& source, Index line);

/// Reads the first bytes to `head`; whether they are those of NPY or NPZ.
[[nodiscard]] bool read_magic(ByteSource& file, ByteBuffer& head);
/// Reads on until `head` holds the first line with content, and what that says.
[[nodiscard]] CsvLayout read_header(ByteSource& file, ByteBuffer& head, const ReadOptions& options);

}  // namespace mbll::data
