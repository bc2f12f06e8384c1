#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mbll/core.hpp"

namespace mbll::test {

/// Fails if the mean of the draws is farther than five standard errors from `expected` in any entry. With
/// normal means that happens by chance with probability 6e-7 per entry; seeds are fixed and never changed to
/// pass.
inline void expect_mean(const std::vector<Matrix>& draws, const Matrix& expected) {
  const auto n = static_cast<double>(draws.size());
  Matrix sum = Matrix::Zero(expected.rows(), expected.cols());
  Matrix squares = sum;
  for (const Matrix& draw : draws) {
    sum += draw;
    squares += (draw - expected).cwiseAbs2();
  }
  const Matrix standard_error = (squares / n).cwiseSqrt() / std::sqrt(n);
  for (Index j = 0; j < expected.cols(); ++j)
    for (Index i = 0; i < expected.rows(); ++i)
      EXPECT_NEAR(sum(i, j) / n, expected(i, j), 5 * standard_error(i, j)) << i << ", " << j;
}

/// The same for the covariance of the stacked columns.
inline void expect_covariance(const std::vector<Matrix>& draws, const Matrix& mean, const Matrix& expected) {
  std::vector<Matrix> products;
  for (const Matrix& draw : draws) {
    const Vector deviation = (draw - mean).reshaped();
    products.emplace_back(deviation * deviation.transpose());
  }
  expect_mean(products, expected);
}

}  // namespace mbll::test
