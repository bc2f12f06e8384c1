#include "bayes/one_point.hpp"

#include "core/clones.hpp"
#include "core/simd.hpp"

namespace mbll {
namespace {

using simd::load;
using Four = simd::Register<double>;

MBLL_INLINE double sum(Four v) { return (v[0] + v[2]) + (v[1] + v[3]); }

/// Products of x with `width` neighbouring columns over the rows [begin, end), added to `products`.
template <int width>
MBLL_INLINE void add_products(const double* columns, Index stride, const double* x, Index begin, Index end,
                              double* products) {
  Four even[width] = {};
  Four odd[width] = {};
  Index t = begin;
  for (; t + 8 <= end; t += 8) {
    const Four x0 = load(x + t);
    const Four x1 = load(x + t + 4);
#pragma GCC unroll 4
    for (int j = 0; j < width; ++j) {
      even[j] += load(columns + j * stride + t) * x0;
      odd[j] += load(columns + j * stride + t + 4) * x1;
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < width; ++j) products[j] += sum(even[j] + odd[j]);
  for (; t < end; ++t)
    for (int j = 0; j < width; ++j) products[j] += columns[j * stride + t] * x[t];
}

}  // namespace

MBLL_CLONES double whitened_square(Index n, const double* F, Index stride, bool lower, const double* x) {
  constexpr Index width = 4;
  double total = 0;
  Index first = 0;
  for (; first + width <= n; first += width) {
    const double* columns = F + first * stride;
    double products[width] = {};
    // the triangle on the diagonal, then the rows that all four columns have
    for (Index j = 0; j < width; ++j)
      for (Index i = lower ? j : 0; i < (lower ? width : j + 1); ++i)
        products[j] += columns[j * stride + first + i] * x[first + i];
    add_products<width>(columns, stride, x, lower ? first + width : 0, lower ? n : first, products);
    for (const double product : products) total += product * product;
  }
  for (; first < n; ++first) {
    double product = 0;
    add_products<1>(F + first * stride, 0, x, lower ? first : 0, lower ? n : first + 1, &product);
    total += product * product;
  }
  return total;
}

}  // namespace mbll
