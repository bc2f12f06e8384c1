#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// As much of the ZIP format as NPZ files use: stored or deflated entries, one volume, no encryption, no
/// zip64 directory. Sizes are checked against the bytes that are there before anything is allocated. Internal
/// to data/.
namespace mbll::data {

struct ZipEntry {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint32_t packed_size = 0;
  std::uint32_t size = 0;
  std::uint32_t offset = 0;
};

[[nodiscard]] bool is_zip(std::span<const char> bytes);
/// The archive's directory. Throws DataError.
[[nodiscard]] std::vector<ZipEntry> zip_entries(const std::string& source, std::span<const char> bytes);
/// The content of one entry, checked by its CRC. Throws DataError.
[[nodiscard]] std::vector<char> zip_extract(const std::string& source, std::span<const char> bytes,
                                            const ZipEntry& entry);

}  // namespace mbll::data
