#pragma once

#include <random>

#include "mbll/core.hpp"

/// Random matrices for tests; the seed is part of the test.
namespace mbll::test {

inline Matrix random_matrix(Index rows, Index columns, Rng& rng) {
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(rng); });
}

inline Vector random_positive(Index size, Rng& rng, double low = 0.5, double high = 2) {
  std::uniform_real_distribution<double> uniform(low, high);
  return Vector::NullaryExpr(size, [&] { return uniform(rng); });
}

/// Symmetric positive definite with a condition number of about 10.
inline Matrix random_spd(Index size, Rng& rng) {
  const Matrix root = random_matrix(size, size + 2, rng);
  return root * root.transpose() / static_cast<double>(size) + 0.2 * Matrix::Identity(size, size);
}

}  // namespace mbll::test
