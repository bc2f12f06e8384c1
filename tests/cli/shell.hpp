#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/folder.hpp"

/// Runs the program itself, in a folder of its own for every test.
namespace mbll::test {

struct Result {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Shell : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  [[nodiscard]] std::string read(const std::string& name) const { return read_file(path(name)); }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  /// Names of what is in the folder, but for the streams of the last run.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (!entry.path().filename().string().starts_with(".")) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  /// A shell command in the folder, where `mbll` is the program under test (and $MBLL its path).
  [[nodiscard]] Result sh(const std::string& command) const {
    const std::string script =
        fmt::format("cd '{}' && {{ MBLL='{}'; mbll() {{ \"$MBLL\" \"$@\"; }}; {}\n}} >.out 2>.err",
                    folder_.string(), MBLL_PROGRAM, command);
    const int status = std::system(script.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(".out"), read(".err")};
  }
  [[nodiscard]] Result mbll(const std::string& arguments) const { return sh("mbll " + arguments); }

  /// y and z from a, b; `samples` lines.
  void write_data(const std::string& name, int samples = 60, double offset = 0) const {
    std::string text = "a,b,y,z\n";
    for (int i = 0; i < samples; ++i) {
      const double a = std::sin(1.3 * i + offset);
      const double b = std::cos(0.7 * i * i + offset);
      const double noise = 0.1 * std::sin(17.0 * i + offset);
      text += fmt::format("{},{},{},{}\n", a, b, 1 + 2 * a - b + noise, a + b * 0.5 - 0.7 * noise);
    }
    write(name, text);
  }
  /// model.json, fitted to data.csv in a moment.
  void fit_model(const std::string& options = "--target y,z --features linear --noise constant") {
    write_data("data.csv");
    const Result result = mbll("fit data.csv --out model.json " + options);
    ASSERT_EQ(result.code, 0) << result.err;
  }
  /// Exit code and what the message must name; nothing on standard output.
  static void expect_refused(const Result& result, int code, const std::vector<std::string>& words) {
    EXPECT_EQ(result.code, code) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    for (const std::string& word : words)
      EXPECT_NE(result.err.find(word), std::string::npos) << "no '" << word << "' in: " << result.err;
  }

 private:
  test::Folder temporary_;
  std::filesystem::path folder_ = temporary_.path();
};

}  // namespace mbll::test
