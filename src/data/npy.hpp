#pragma once

#include <span>
#include <string>

#include "mbll/data/table.hpp"

/// NumPy's files. Internal to data/.
namespace mbll::data {

[[nodiscard]] bool is_npy(std::span<const char> bytes);
[[nodiscard]] bool is_npz(std::span<const char> bytes);

/// One array, (N,) or (N, C): columns x1 … xC. Throws DataError for what it cannot read.
[[nodiscard]] Table read_npy(const std::string& source, std::span<const char> bytes);
/// Every array of the archive, side by side; they must have the same N. An array `a` of shape (N,) or (N, 1)
/// is column a, one of shape (N, C) columns a1 … aC.
[[nodiscard]] Table read_npz(const std::string& source, std::span<const char> bytes);

}  // namespace mbll::data
