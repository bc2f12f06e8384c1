#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mbll/core.hpp"

/// Closed forms evaluated with 60-digit arithmetic: tests/golden, see its README.
namespace mbll::golden {

inline Matrix to_matrix(const nlohmann::json& rows) {
  Matrix result(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < result.cols(); ++j)
      result(i, j) = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)).get<double>();
  return result;
}

inline Vector to_vector(const nlohmann::json& entries) {
  Vector result(static_cast<Index>(entries.size()));
  for (Index i = 0; i < result.size(); ++i) result(i) = entries.at(static_cast<std::size_t>(i)).get<double>();
  return result;
}

struct Case {
  std::string name;
  nlohmann::json input;
  nlohmann::json expected;

  [[nodiscard]] Matrix matrix(const char* key) const { return to_matrix(input.at(key)); }
  [[nodiscard]] Vector vector(const char* key) const { return to_vector(input.at(key)); }
  [[nodiscard]] double number(const char* key) const { return input.at(key).get<double>(); }
  [[nodiscard]] bool has(const char* key) const { return input.contains(key); }
  [[nodiscard]] bool stiff() const { return name.starts_with("stiff"); }
  [[nodiscard]] double tolerance() const { return stiff() ? 1e-8 : 1e-10; }
};

/// All cases in the order of their names.
inline std::vector<Case> load_all() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(MBLL_TEST_DIR "/golden"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> cases;
  for (const auto& file : files) {
    std::ifstream stream(file);
    const nlohmann::json content = nlohmann::json::parse(stream);
    cases.push_back({content.at("name"), content.at("input"), content.at("expected")});
  }
  return cases;
}

/// Cases that have all of the inputs (the stiff ones have only those of V known).
inline std::vector<Case> load_full() {
  std::vector<Case> cases = load_all();
  std::erase_if(cases, [](const Case& c) { return !c.has("Psi"); });
  return cases;
}

inline std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Largest error relative to the largest entry.
inline double relative_error(const Matrix& actual, const Matrix& expected) {
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols()) return HUGE_VAL;
  if (expected.size() == 0) return 0;
  const double error = (actual - expected).cwiseAbs().maxCoeff();
  const double scale = expected.cwiseAbs().maxCoeff();
  return error == 0 ? 0 : error / scale;
}

inline void PrintTo(const Case& c, std::ostream* stream) { *stream << c.name; }

}  // namespace mbll::golden

/// Fails unless the largest error is at most `tolerance` relative to the largest expected entry.
#define EXPECT_GOLDEN(actual, expected, tolerance) \
  EXPECT_LE(::mbll::golden::relative_error(actual, expected), tolerance)
#define EXPECT_GOLDEN_NUMBER(actual, expected, tolerance) \
  EXPECT_NEAR(actual, (expected), (tolerance)*std::abs(expected))
