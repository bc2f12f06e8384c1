#pragma once

#include "mbll/bayes/posterior.hpp"
#include "mbll/bayes/statistics.hpp"
#include "support/random.hpp"

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

  static RandomProblem make(Index p, Index d, Index N, std::uint64_t seed) {
    Rng rng = make_rng(seed);
    const Matrix Phi = random_matrix(d, N, rng);
    const Matrix A = random_matrix(p, d, rng);
    const Vector sigma = (0.3 * random_matrix(N, 1, rng)).array().exp();
    const Matrix noise = random_spd(p, rng) * random_matrix(p, N, rng) * sigma.asDiagonal();
    const Matrix Y = A * Phi + noise;
    const Matrix M = 0.3 * random_matrix(p, d, rng);
    const Covariance K = Covariance::from_matrix(random_spd(d, rng), "K");
    const Covariance V = Covariance::from_matrix(random_spd(p, rng), "V");
    const Matrix H = random_spd(d, rng);
    Statistics data(d, p);
    data.add(Phi, Y, sigma);
    return {p, d, N, Phi, Y, sigma, {M, V, K}, {M, K, V, 2.0 * static_cast<double>(p) + 3}, H, data};
  }
};

}  // namespace mbll::test
