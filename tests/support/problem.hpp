#pragma once

#include <limits>
#include <string>

#include "mbll/bayes/posterior.hpp"
#include "mbll/bayes/unrelated.hpp"
#include "mbll/error.hpp"
#include "support/dense_reference.hpp"
#include "support/message.hpp"
#include "support/random.hpp"

/// A random regression problem with everything that the models of the Bayesian part need.
namespace mbll::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Sizes {
  Index p, d, N, L;
};

struct Problem {
  Matrix Phi, Y;
  Vector sigma;
  Matrix M, V, U, K, Psi;
  double nu;
  Matrix Phi_new, Y_new;
  Vector sigma_new;

  [[nodiscard]] Statistics statistics() const { return statistics(0, Phi.cols()); }
  [[nodiscard]] Statistics statistics(Index first, Index count) const {
    Statistics data(Phi.rows(), Y.rows());
    data.add(Phi.middleCols(first, count), Y.middleCols(first, count), sigma.segment(first, count));
    return data;
  }
  [[nodiscard]] NormalPrior normal_prior() const {
    return {M, Covariance::from_matrix(V, "V"), Covariance::from_matrix(K, "K")};
  }
  [[nodiscard]] WishartPrior wishart_prior() const {
    return {M, Covariance::from_matrix(K, "K"), Covariance::from_matrix(Psi, "Psi"), nu};
  }
  [[nodiscard]] UnrelatedPrior unrelated_prior() const {
    return {M, Covariance::from_matrix(U, "U"), Covariance::from_matrix(V, "V"),
            Covariance::from_matrix(K, "K")};
  }
  [[nodiscard]] dense::Model dense_shared() const { return {M, V, V, K}; }
  [[nodiscard]] dense::Model dense_unrelated() const { return {M, U, V, K}; }
};

inline Problem make_problem(Sizes size, std::uint64_t seed) {
  Rng rng = make_rng(seed);
  const auto [p, d, N, L] = size;
  const Matrix A = random_matrix(p, d, rng);
  Problem problem;
  problem.Phi = random_matrix(d, N, rng);
  problem.sigma = random_positive(N, rng);
  problem.Y = A * problem.Phi + random_matrix(p, N, rng) * problem.sigma.asDiagonal();
  problem.M = random_matrix(p, d, rng);
  problem.V = random_spd(p, rng);
  problem.U = random_spd(p, rng);
  problem.K = random_spd(d, rng);
  problem.Psi = random_spd(p, rng);
  problem.nu = 2 * static_cast<double>(p) + 3.5;
  problem.Phi_new = random_matrix(d, L, rng);
  problem.sigma_new = random_positive(L, rng);
  problem.Y_new = A * problem.Phi_new + random_matrix(p, L, rng) * problem.sigma_new.asDiagonal();
  return problem;
}

/// All sizes differ within a case; among them N < d, N = 1, N = 0, p = 1, p > d.
inline std::vector<Sizes> all_sizes() {
  return {{2, 3, 7, 4}, {3, 5, 20, 2}, {2, 6, 4, 3},  {3, 4, 1, 2},
          {2, 5, 0, 3}, {1, 4, 9, 3},  {4, 2, 11, 3}, {3, 1, 5, 2}};
}

}  // namespace mbll::test
