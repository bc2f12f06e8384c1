#include "../apps/mbll/number_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace mbll::app {
namespace {

using Writer = char* (*)(double, char*);

std::string text_of(Writer write, double value) {
  std::array<char, kLongestNumber> buffer{};
  return {buffer.data(), write(value, buffer.data())};
}

TEST(WriteRounded, WritesNineDigitsWithoutTrailingZeros) {
  const auto text = [](double value) { return text_of(write_rounded, value); };
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(-0.0), "0");
  EXPECT_EQ(text(1), "1");
  EXPECT_EQ(text(-1), "-1");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(100), "100");
  EXPECT_EQ(text(1234567), "1234567");
  EXPECT_EQ(text(123456789), "123456789");
  EXPECT_EQ(text(1.0 / 3), "0.333333333");
  EXPECT_EQ(text(-2.0 / 3), "-0.666666667");
  EXPECT_EQ(text(0.00001), "0.00001");
  EXPECT_EQ(text(0.0000123456789), "0.0000123456789");
  EXPECT_EQ(text(99999999.96), "100000000");
  EXPECT_EQ(text(999999999.6), "1000000000");
  EXPECT_EQ(text(0.9999999999), "1");
  EXPECT_EQ(text(1e300), "1e+300");
  EXPECT_EQ(text(-5e-324), "-4.94065646e-324");
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(text(std::nan("")), "nan");
}

TEST(WriteRounded, IsWithinHalfAUnitOfTheNinthDigit) {
  std::mt19937_64 rng(1);
  std::uniform_real_distribution<double> exponent(-7, 12);
  for (int i = 0; i < 200'000; ++i) {
    const double value = (i % 2 == 0 ? 1 : -1) * std::pow(10, exponent(rng));
    const std::string text = text_of(write_rounded, value);
    const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 8);
    ASSERT_LE(std::abs(std::stod(text) - value), 0.5000001 * unit) << fmt::format("{} as {}", value, text);
  }
}

TEST(WriteExact, ReadsBackToTheSameBits) {
  std::mt19937_64 rng(2);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    const double value = std::exp(20 * normal(rng));
    ASSERT_EQ(std::stod(text_of(write_exact, value)), value);
  }
}

}  // namespace
}  // namespace mbll::app
