#include "number_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace mbll::app {
namespace {

constexpr int kDigits = 9;
constexpr double kLowest = 1e-5;  // of what is written without an exponent
constexpr double kHighest = 1e9;
constexpr std::size_t kOrigin = 6;  // where the tables have 10⁰

/// 10⁻⁶ … 10¹³
constexpr std::array<double, 20> kTens{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2,  1e3,
                                       1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13};

constexpr std::array<char, 200> kPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

/// e with 10ᵉ ≤ value < 10ᵉ⁺¹, kLowest ≤ value < kHighest.
int decimal_exponent(double value) {
  const int binary = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) - 1023;
  const int guess = (binary * 1233) >> 12;  // 1233/4096 = log₁₀ 2, rounded down: right or one too low
  return guess + static_cast<int>(value >= kTens[kOrigin + static_cast<std::size_t>(guess + 1)]);
}

void write_pair(std::uint32_t value, char* to) { std::memcpy(to, kPairs.data() + std::size_t{2} * value, 2); }

/// The nine digits of value < 10⁹.
void write_digits(std::uint32_t value, char* to) {
  const std::uint32_t upper = value / 10000;
  const std::uint32_t lower = value % 10000;
  to[0] = static_cast<char>('0' + upper / 10000);
  write_pair(upper / 100 % 100, to + 1);
  write_pair(upper % 100, to + 3);
  write_pair(lower / 100, to + 5);
  write_pair(lower % 100, to + 7);
}

}  // namespace

char* write_rounded(double value, char* to) {
  const double size = std::abs(value);
  if (!(size >= kLowest && size < kHighest)) {
    if (size > 0 || std::isnan(size))
      return std::to_chars(to, to + kLongestNumber, value, std::chars_format::general, kDigits).ptr;
    *to = '0';
    return to + 1;
  }
  int exponent = decimal_exponent(size);
  const double power = kTens[kOrigin + static_cast<std::size_t>(kDigits - 1 - exponent)];  // exact
  // Ties are documented; lround would be a call.
  auto whole = static_cast<std::uint32_t>(size * power + 0.5);  // NOLINT(bugprone-incorrect-roundings)
  if (whole == 1'000'000'000) {
    whole /= 10;
    ++exponent;
  }
  *to = '-';
  to += static_cast<int>(value < 0);
  // Without branches, which nobody could predict: zeros before the digits, then all of it around the point in
  // copies of fixed length; what is behind the end does not matter.
  const int leading = std::max(0, -exponent);
  const int before_point = std::max(1, exponent + 1);
  std::array<char, 32> digits{};
  std::memset(digits.data(), '0', digits.size());
  write_digits(whole, digits.data() + leading);
  int count = leading + kDigits;
  while (digits[static_cast<std::size_t>(count - 1)] == '0') --count;
  std::memcpy(to, digits.data(), 16);
  std::memcpy(to + before_point + 1, digits.data() + before_point, 16);
  to[before_point] = '.';
  return to + (count > before_point ? count + 1 : before_point);
}

char* write_exact(double value, char* to) { return std::to_chars(to, to + kLongestNumber, value).ptr; }

}  // namespace mbll::app
