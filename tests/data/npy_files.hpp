#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/files.hpp"

/// Writes NumPy's formats by their description (NEP 1; PKWARE's APPNOTE), independently of the reader.
namespace mbll::test {

template <class T>
std::string bytes_of(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::string npy_header(const std::string& dictionary, int version = 1) {
  std::string header = dictionary;
  const std::size_t prefix = version == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const std::string length = version == 1 ? bytes_of(static_cast<std::uint16_t>(header.size()))
                                          : bytes_of(static_cast<std::uint32_t>(header.size()));
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' + length + header;
}

template <class T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& numbers,
                bool fortran = false, int version = 1) {
  std::string result =
      npy_header("{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                     ", 'shape': " + shape + ", }",
                 version);
  for (const T number : numbers) result += bytes_of(number);
  return result;
}

inline std::string zip(const std::vector<std::pair<std::string, std::string>>& files, bool packed) {
  std::string archive, directory;
  const auto u16 = [](std::size_t v) { return bytes_of(static_cast<std::uint16_t>(v)); };
  const auto u32 = [](std::size_t v) { return bytes_of(static_cast<std::uint32_t>(v)); };
  for (const auto& [name, content] : files) {
    const std::string data = packed ? deflated(content, -15) : content;
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    const std::string common =
        u16(packed ? 8 : 0) + u32(0) + u32(crc) + u32(data.size()) + u32(content.size());
    const std::size_t offset = archive.size();
    // the local record has a longer extra field than the directory, as NumPy's has
    archive += "PK\x03\x04" + u16(20) + u16(0) + common + u16(name.size()) + u16(4) + name + "\x01\x02" +
               u16(0) + data;
    directory += "PK\x01\x02" + u16(20) + u16(20) + u16(0) + common + u16(name.size()) + u16(0) + u16(0) +
                 u16(0) + u16(0) + u32(0) + u32(offset) + name;
  }
  const std::size_t start = archive.size();
  archive += directory;
  archive += "PK\x05\x06" + u16(0) + u16(0) + u16(files.size()) + u16(files.size()) + u32(directory.size()) +
             u32(start) + u16(0);
  return archive;
}

}  // namespace mbll::test
