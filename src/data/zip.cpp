#include "zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "mbll/error.hpp"

namespace mbll::data {
namespace {

constexpr std::size_t kEndRecord = 22;
constexpr std::size_t kDirectoryRecord = 46;
constexpr std::size_t kLocalRecord = 30;
constexpr std::uint32_t kZip64 = 0xffffffff;

[[noreturn]] void fail_archive(const std::string& source, const std::string& message) {
  throw DataError(source + ": " + message);
}

template <class T>
T load(std::span<const char> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool has(std::span<const char> bytes, std::size_t at, std::size_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

/// The record at the end may be followed by a comment of up to 65535 bytes.
std::size_t find_end_record(const std::string& source, std::span<const char> bytes) {
  if (bytes.size() >= kEndRecord) {
    const std::string_view text(bytes.data(), bytes.size());
    const std::size_t at = text.rfind("PK\x05\x06", bytes.size() - kEndRecord);
    if (at != std::string_view::npos) return at;
  }
  fail_archive(source, "the archive has no directory (truncated file?)");
}

}  // namespace

bool is_zip(std::span<const char> bytes) {
  const std::string_view text(bytes.data(), bytes.size());
  return text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06");
}

std::vector<ZipEntry> zip_entries(const std::string& source, std::span<const char> bytes) {
  const std::size_t end = find_end_record(source, bytes);
  const auto count = load<std::uint16_t>(bytes, end + 10);
  std::size_t at = load<std::uint32_t>(bytes, end + 16);
  std::vector<ZipEntry> entries;
  for (int i = 0; i < count; ++i) {
    if (!has(bytes, at, kDirectoryRecord) || load<std::uint32_t>(bytes, at) != 0x02014b50)
      fail_archive(source, "the archive's directory is damaged");
    const auto name_size = load<std::uint16_t>(bytes, at + 28);
    if (!has(bytes, at + kDirectoryRecord, name_size))
      fail_archive(source, "the archive's directory is damaged");
    ZipEntry& entry = entries.emplace_back();
    entry.name.assign(bytes.data() + at + kDirectoryRecord, name_size);
    entry.flags = load<std::uint16_t>(bytes, at + 8);
    entry.method = load<std::uint16_t>(bytes, at + 10);
    entry.crc = load<std::uint32_t>(bytes, at + 16);
    entry.packed_size = load<std::uint32_t>(bytes, at + 20);
    entry.size = load<std::uint32_t>(bytes, at + 24);
    entry.offset = load<std::uint32_t>(bytes, at + 42);
    at += kDirectoryRecord + name_size + load<std::uint16_t>(bytes, at + 30) +
          load<std::uint16_t>(bytes, at + 32);
  }
  return entries;
}

std::vector<char> zip_extract(const std::string& source, std::span<const char> bytes, const ZipEntry& entry) {
  const auto refuse = [&](const char* why) {
    fail_archive(source, fmt::format("'{}' in the archive {}", entry.name, why));
  };
  if ((entry.flags & 1) != 0) refuse("is encrypted");
  if (entry.packed_size == kZip64 || entry.size == kZip64 || entry.offset == kZip64)
    refuse("is larger than 4 GB");
  if (!has(bytes, entry.offset, kLocalRecord) || load<std::uint32_t>(bytes, entry.offset) != 0x04034b50)
    refuse("is damaged");
  const std::size_t begin = entry.offset + kLocalRecord + load<std::uint16_t>(bytes, entry.offset + 26) +
                            load<std::uint16_t>(bytes, entry.offset + 28);
  if (!has(bytes, begin, entry.packed_size)) refuse("ends early (truncated file?)");
  const std::span<const char> packed = bytes.subspan(begin, entry.packed_size);

  std::vector<char> content;
  if (entry.method == 0) {
    content.assign(packed.begin(), packed.end());
  } else if (entry.method == 8) {
    constexpr std::size_t kLargestRatio = 1032;  // of deflate: a larger claim is forged
    if (entry.size / kLargestRatio > packed.size()) refuse("claims an impossible size");
    content.resize(entry.size);
    z_stream stream{};
    constexpr int kRawDeflate = -15;
    if (inflateInit2(&stream, kRawDeflate) != Z_OK) throw std::bad_alloc();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = entry.packed_size;
    stream.next_out = reinterpret_cast<Bytef*>(content.data());
    stream.avail_out = entry.size;
    const int code = inflate(&stream, Z_FINISH);
    const bool complete = code == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!complete) refuse("is damaged");
  } else {
    refuse("is packed by a method other than deflate");
  }
  if (content.size() != entry.size ||
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()) != entry.crc)
    refuse("is damaged");
  return content;
}

}  // namespace mbll::data
