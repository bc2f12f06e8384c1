#include <algorithm>
#include <utility>

#include "core/clones.hpp"
#include "core/simd.hpp"
#include "mbll/nn/kernels.hpp"

namespace mbll::nn::kernels {
namespace {

using simd::Bits;
using simd::load;
using simd::Register;
using simd::store;

/// C (height·lanes × width) = A B, where column t of A starts at a + t·a_step. All loops but that over t must
/// be unrolled, otherwise the sums go through memory.
template <int height, int width, class Scalar>
MBLL_INLINE void tile(Index k, const Scalar* a, Index a_step, RightFactor<Scalar> B, Scalar* c,
                      Index stride) {
  Register<Scalar> sum[width][height];
#pragma GCC unroll 8
  for (int j = 0; j < width; ++j)
#pragma GCC unroll 8
    for (int i = 0; i < height; ++i) sum[j][i] = Register<Scalar>{};
  for (Index t = 0; t < k; ++t) {
    Register<Scalar> column[height];
#pragma GCC unroll 8
    for (int i = 0; i < height; ++i) column[i] = load(a + t * a_step + i * lanes<Scalar>);
#pragma GCC unroll 8
    for (int j = 0; j < width; ++j) {
      const Scalar b = B.values[t * B.row_step + j * B.column_step];
#pragma GCC unroll 8
      for (int i = 0; i < height; ++i) sum[j][i] += column[i] * b;
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < width; ++j)
#pragma GCC unroll 8
    for (int i = 0; i < height; ++i) store(sum[j][i], c + j * stride + i * lanes<Scalar>);
}

/// height·lanes rows of C, all columns: six at a time where that leaves no narrow rest.
template <int height, class Scalar>
MBLL_INLINE void panel(Index n, Index k, const Scalar* a, Index a_step, RightFactor<Scalar> B, Scalar* c,
                       Index stride) {
  while (n > 0) {
    const Index width = n >= 6 && n != 8 ? 6 : std::min<Index>(n, 4);
    switch (width) {
      case 6:
        tile<height, 6>(k, a, a_step, B, c, stride);
        break;
      case 4:
        tile<height, 4>(k, a, a_step, B, c, stride);
        break;
      case 3:
        tile<height, 3>(k, a, a_step, B, c, stride);
        break;
      case 2:
        tile<height, 2>(k, a, a_step, B, c, stride);
        break;
      default:
        tile<height, 1>(k, a, a_step, B, c, stride);
    }
    B.values += width * B.column_step;
    c += width * stride;
    n -= width;
  }
}

/// Columns of `rows` entries one after another; the rest of a panel's height is zero when A is transposed.
template <class Scalar>
MBLL_INLINE void pack_plain(Index height, Index k, const Scalar* a, Index stride, Scalar* out) {
  for (Index t = 0; t < k; ++t)
    for (Index i = 0; i < height; i += lanes<Scalar>) store(load(a + t * stride + i), out + t * height + i);
}

template <class Scalar, int... lane>
MBLL_INLINE void exchange(Register<Scalar>& low, Register<Scalar>& high, int step,
                          std::integer_sequence<int, lane...>) {
  // The classical step of a transpose by halves: swaps the off-diagonal blocks of size `step`.
  using Masks = Register<Bits<Scalar>>;
  constexpr int count = sizeof...(lane);
  const Masks to_low = {((lane & step) ? lane - step + count : lane)...};
  const Masks to_high = {((lane & step) ? lane + count : lane + step)...};
  const Register<Scalar> a = low;
  const Register<Scalar> b = high;
#ifdef __clang__
  for (int i = 0; i < count; ++i) {
    low[i] = to_low[i] < count ? a[to_low[i]] : b[to_low[i] - count];
    high[i] = to_high[i] < count ? a[to_high[i]] : b[to_high[i] - count];
  }
#else
  low = __builtin_shuffle(a, b, to_low);
  high = __builtin_shuffle(a, b, to_high);
#endif
}

/// `height` rows of A, given its transpose: rows i of A are the columns i of `a`. Rows from `rows` on become
/// zero.
template <class Scalar>
MBLL_INLINE void pack_transposed(Index height, Index rows, Index k, const Scalar* a, Index stride,
                                 Scalar* out) {
  constexpr int width = lanes<Scalar>;
  for (Index i = 0; i < height; i += width) {
    Index t = 0;
    if (i + width <= rows)
      for (; t + width <= k; t += width) {
        Register<Scalar> block[width];

#pragma GCC unroll 8
        for (int row = 0; row < width; ++row) block[row] = load(a + (i + row) * stride + t);
#pragma GCC unroll 3
        for (int step = width / 2; step > 0; step /= 2)
#pragma GCC unroll 8
          for (int row = 0; row < width; ++row)
            if ((row & step) == 0)
              exchange<Scalar>(block[row], block[row + step], step, std::make_integer_sequence<int, width>{});

#pragma GCC unroll 8
        for (int row = 0; row < width; ++row) store(block[row], out + (t + row) * height + i);
      }
    for (; t < k; ++t)
      for (Index row = i; row < i + width; ++row)
        out[t * height + row] = row < rows ? a[row * stride + t] : 0;
  }
}

template <int height, class Scalar>
MBLL_INLINE void rows_of_product(Index first, Index m, Index n, Index k, LeftFactor<Scalar> A,
                                 RightFactor<Scalar> B, Scalar* C, Index stride, bool pack, Scalar* scratch) {
  constexpr Index rows = height * lanes<Scalar>;
  const Scalar* a = A.values + first;
  Index a_step = A.stride;
  if (A.transposed) {
    pack_transposed(rows, std::min(rows, m - first), k, A.values + first * A.stride, A.stride, scratch);
  } else if (pack) {
    pack_plain(rows, k, a, A.stride, scratch);
  }
  if (A.transposed || pack) {
    a = scratch;
    a_step = rows;
  }
  panel<height>(n, k, a, a_step, B, C + first, stride);
}

template <class Scalar>
MBLL_INLINE void multiply_any(Index m, Index n, Index k, LeftFactor<Scalar> A, RightFactor<Scalar> B,
                              Scalar* C, Index stride, Scalar* scratch) {
  constexpr Index one = lanes<Scalar>;
  // A copy pays when A is too large for the first-level cache and read often enough.
  const bool pack = n >= 64 && m * k > 16384 / static_cast<Index>(sizeof(Scalar));
  const Index rows = padded<Scalar>(m);
  Index first = 0;
  // One sample: as many accumulators as hide the latency of a multiply-add.
  if (n == 1 && !A.transposed)
    for (; first + 8 * one <= rows; first += 8 * one)
      tile<8, 1>(k, A.values + first, A.stride, B, C + first, stride);
  for (; first + 2 * one <= rows; first += 2 * one)
    rows_of_product<2>(first, m, n, k, A, B, C, stride, pack, scratch);
  if (first < rows) rows_of_product<1>(first, m, n, k, A, B, C, stride, pack, scratch);
}

}  // namespace

MBLL_CLONES void multiply(Index m, Index n, Index k, LeftFactor<float> A, RightFactor<float> B, float* C,
                          Index stride, float* scratch) {
  multiply_any<float>(m, n, k, A, B, C, stride, scratch);
}
MBLL_CLONES void multiply(Index m, Index n, Index k, LeftFactor<double> A, RightFactor<double> B, double* C,
                          Index stride, double* scratch) {
  multiply_any<double>(m, n, k, A, B, C, stride, scratch);
}

}  // namespace mbll::nn::kernels
