#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "mbll/error.hpp"

namespace mbll::test {

/// A folder of its own for every test; gone afterwards.
class Files : public testing::Test {
 protected:
  Files() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("mbll_") + info->test_suite_name() + "_" + info->name());
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

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
      const std::string prefix = folder_.string() + "/";
      for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
        message.erase(at, prefix.size());
      return message;
    }
    return "no error";
  }

 private:
  std::filesystem::path folder_;
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
