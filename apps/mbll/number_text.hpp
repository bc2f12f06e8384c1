#pragma once

#include <cstddef>

namespace mbll::app {

/// Room that the functions below may need.
inline constexpr std::size_t kLongestNumber = 32;

/// Writes nine significant digits, without trailing zeros, and returns the end: more than any prediction has,
/// at a fifth of the time of the exact text (a table of predictions has dozens a line). Where the tenth digit
/// and all behind it round to a tie in double, the ninth may come out either way.
char* write_rounded(double value, char* to);

/// Writes the shortest text that reads back to the same bits.
char* write_exact(double value, char* to);

}  // namespace mbll::app
