#pragma once

#include "mbll/core.hpp"

namespace mbll {

/// |Fᵀx|² for triangular F (n×n): φᵀCφ of one point with C = FFᵀ. No allocation; n² flops, bound by reading F
/// from the second cache. (dtrmv takes 2.5 times as long at n = 128.)
[[nodiscard]] double whitened_square(Index n, const double* F, Index stride, bool lower, const double* x);

}  // namespace mbll
