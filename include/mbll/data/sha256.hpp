#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace mbll {

/// SHA-256 (FIPS 180-4), to recognise data files. Own code, 60 lines with the standard's test vectors:
/// linking a cryptographic library for the checksum of a file would double the program's dependencies.
class Sha256 {
 public:
  void update(std::span<const char> bytes);
  /// The digest of everything so far as 64 hexadecimal digits. Ends the computation.
  [[nodiscard]] std::string finish();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t length_ = 0;  // bytes
};

/// Of the file as it is on the disk (compressed or not). Throws DataError.
[[nodiscard]] std::string sha256_of_file(const std::string& path);

}  // namespace mbll
