#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <string>
#include <string_view>

#include "mbll/error.hpp"
#include "support/folder.hpp"

namespace mbll::test {

/// Files in a folder of the test's own.
class Files : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }

  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  /// What the call's DataError says, with the folder's name taken out.
  template <class Call>
  std::string data_error(Call call) const {
    try {
      call();
    } catch (const DataError& error) {
      std::string message = error.what();
      const std::string prefix = folder_.path().string() + "/";
      for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
        message.erase(at, prefix.size());
      return message;
    }
    return "no error";
  }

 private:
  Folder folder_;
};

/// `window_bits` as in zlib: 15 + 16 for gzip, −15 for the bare stream.
inline std::string deflated(std::string_view content, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string gzip(std::string_view content) { return deflated(content, 15 + 16); }

}  // namespace mbll::test
