#pragma once

#include <random>

#include "mbll/bayes/posterior.hpp"
#include "mbll/bayes/statistics.hpp"

namespace mbll::test {

/// A regression problem with sizes that are all different and nothing special about it.
struct RandomProblem {
  Index p, d, N;
  Matrix Phi, Y;
  Vector sigma;
  NormalPrior normal;
  WishartPrior wishart;
  Matrix H;
  Statistics data;

  static Matrix gaussian(Index rows, Index columns, Rng& rng) {
    std::normal_distribution<double> normal;
    return Matrix::NullaryExpr(rows, columns, [&](Index, Index) { return normal(rng); });
  }
  static Matrix positive_definite(Index n, Rng& rng) {
    const Matrix B = gaussian(n, n + 2, rng);
    return B * B.transpose() / static_cast<double>(n) + 0.1 * Matrix::Identity(n, n);
  }

  static RandomProblem make(Index p, Index d, Index N, std::uint64_t seed) {
    Rng rng = make_rng(seed);
    const Matrix Phi = gaussian(d, N, rng);
    const Matrix A = gaussian(p, d, rng);
    const Vector sigma = (0.3 * gaussian(N, 1, rng)).array().exp();
    const Matrix noise = positive_definite(p, rng) * gaussian(p, N, rng) * sigma.asDiagonal();
    const Matrix Y = A * Phi + noise;
    const Matrix M = 0.3 * gaussian(p, d, rng);
    const Covariance K = Covariance::from_matrix(positive_definite(d, rng), "K");
    const Covariance V = Covariance::from_matrix(positive_definite(p, rng), "V");
    const Matrix H = positive_definite(d, rng);
    Statistics data(d, p);
    data.add(Phi, Y, sigma);
    return {p, d, N, Phi, Y, sigma, {M, V, K}, {M, K, V, 2.0 * static_cast<double>(p) + 3}, H, data};
  }
};

}  // namespace mbll::test
