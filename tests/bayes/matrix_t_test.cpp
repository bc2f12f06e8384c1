#include "mbll/bayes/matrix_t.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mbll/bayes/inverse_wishart.hpp"
#include "mbll/bayes/matrix_normal.hpp"
#include "support/dense_reference.hpp"
#include "support/golden.hpp"
#include "support/moments.hpp"
#include "support/problem.hpp"

namespace mbll {
namespace {

using golden::relative_error;
using test::message_of;

struct Parameters {
  Matrix M, V, K, X;
};

Parameters make_parameters(Index p, Index n) {
  Rng rng = make_rng(91);
  return {test::random_matrix(p, n, rng), test::random_spd(p, rng), test::random_spd(n, rng),
          test::random_matrix(p, n, rng)};
}

TEST(MatrixNormal, IsTheNormalOfTheStackedColumns) {
  for (const auto& [p, n] : {std::pair<Index, Index>{2, 4}, {4, 3}, {1, 3}, {3, 1}}) {
    const auto [M, V, K, X] = make_parameters(p, n);
    const MatrixNormal distribution(M, Covariance::from_matrix(V), Covariance::from_matrix(K));
    EXPECT_NEAR(distribution.log_density(X),
                dense::log_normal(dense::vec(X), dense::vec(M), dense::kronecker(K, V)), 1e-11);
    EXPECT_LE(relative_error(distribution.covariance(), dense::kronecker(K, V)), 1e-13);
  }
}

TEST(MatrixNormal, DrawsHaveTheMoments) {
  const auto [M, V, K, X] = make_parameters(2, 3);
  const MatrixNormal distribution(M, Covariance::from_matrix(V), Covariance::from_matrix(K));
  Rng rng = make_rng(92);
  std::vector<Matrix> draws;
  for (int i = 0; i < 20000; ++i) draws.push_back(distribution.sample(rng));
  test::expect_mean(draws, M);
  test::expect_covariance(draws, M, distribution.covariance());
}

// Bayes' rule: MT(X) = MN(X | V) IW(V) / IW(V | X) for any V.
TEST(MatrixT, IsTheNormalWithItsCovarianceIntegratedOut) {
  for (const auto& [p, n] : {std::pair<Index, Index>{2, 4}, {4, 3}, {1, 3}, {3, 1}}) {
    const auto [M, Sigma, Omega, X] = make_parameters(p, n);
    const double dof = 1.7;
    const double nu = dof + 2 * static_cast<double>(p);
    const Covariance columns = Covariance::from_matrix(Omega);
    const MatrixT distribution(M, Covariance::from_matrix(Sigma), columns, dof);
    Rng rng = make_rng(93);
    const Covariance V = Covariance::from_matrix(test::random_spd(p, rng));
    const Matrix scatter = Sigma + (X - M) * Omega.llt().solve((X - M).transpose());
    const double expected =
        MatrixNormal(M, V, columns).log_density(X) +
        InverseWishart(Covariance::from_matrix(Sigma), nu).log_density(V) -
        InverseWishart(Covariance::from_matrix(scatter), nu + static_cast<double>(n)).log_density(V);
    EXPECT_NEAR(distribution.log_density(X), expected, 1e-11);
  }
}

TEST(MatrixT, OfOneColumnIsAMultivariateStudentT) {
  const auto [M, Sigma, Omega, X] = make_parameters(3, 1);
  const double dof = 4.5;
  const MatrixT distribution(M, Covariance::from_matrix(Sigma), Covariance::from_matrix(Omega), dof);
  EXPECT_NEAR(distribution.log_density(X), dense::log_student(X, M, Omega(0, 0) / dof * Sigma, dof), 1e-12);
}

TEST(MatrixT, DrawsHaveTheMoments) {
  const auto [M, Sigma, Omega, X] = make_parameters(2, 3);
  const MatrixT distribution(M, Covariance::from_matrix(Sigma), Covariance::from_matrix(Omega), 12);
  EXPECT_LE(relative_error(distribution.covariance(), dense::kronecker(Omega, Sigma) / 10), 1e-13);
  Rng rng = make_rng(94);
  std::vector<Matrix> draws;
  for (int i = 0; i < 20000; ++i) draws.push_back(distribution.sample(rng));
  test::expect_mean(draws, M);
  test::expect_covariance(draws, M, distribution.covariance());
}

TEST(InverseWishart, OfOneOutputIsAnInverseGamma) {
  // density of the inverse gamma with shape a = (ν − 2)/2 and scale b = Ψ/2
  const double nu = 5.5;
  const double psi = 1.3;
  const double v = 0.7;
  const double a = 0.5 * (nu - 2);
  const double b = 0.5 * psi;
  const InverseWishart distribution(Covariance::isotropic(1, psi), nu);
  EXPECT_NEAR(distribution.log_density(Covariance::isotropic(1, v)),
              a * std::log(b) - std::lgamma(a) - (a + 1) * std::log(v) - b / v, 1e-13);
}

TEST(InverseWishart, DrawsHaveTheMoments) {
  Rng rng = make_rng(95);
  const Matrix Psi = test::random_spd(3, rng);
  const InverseWishart distribution(Covariance::from_matrix(Psi), 16);
  EXPECT_LE(relative_error(distribution.mean(), Psi / 8), 1e-13);
  EXPECT_LE(relative_error(distribution.mode(), Psi / 16), 1e-13);
  std::vector<Matrix> draws;
  std::vector<Matrix> precisions;
  for (int i = 0; i < 20000; ++i) {
    const Covariance V = distribution.sample(rng);
    draws.push_back(V.matrix());
    precisions.push_back(V.precision());
  }
  test::expect_mean(draws, distribution.mean());
  test::expect_mean(precisions, distribution.mean_precision());
}

TEST(InverseWishart, TheModeIsTheLargestDensity) {
  Rng rng = make_rng(96);
  const InverseWishart distribution(Covariance::from_matrix(test::random_spd(3, rng)), 9);
  const double largest = distribution.log_density(Covariance::from_matrix(distribution.mode()));
  for (int i = 0; i < 20; ++i) {
    const Matrix change = 1e-3 * test::random_spd(3, rng);
    EXPECT_LT(distribution.log_density(Covariance::from_matrix(distribution.mode() + change)), largest);
  }
}

TEST(Distributions, BadInputNamesTheArgument) {
  using testing::StartsWith;
  const Covariance one = Covariance::identity(1);
  const Covariance two = Covariance::identity(2);
  const Matrix M = Matrix::Zero(2, 1);
  EXPECT_THAT(message_of([&] { MatrixNormal(M, one, one); }), StartsWith("V: is 1×1, expected 2×2"));
  EXPECT_THAT(message_of([&] { MatrixNormal(M, two, two); }), StartsWith("K: is 2×2, expected 1×1"));
  EXPECT_THAT(message_of([&] { MatrixNormal(std::nan("") * Matrix::Ones(2, 1), two, one); }),
              StartsWith("M: "));
  EXPECT_THAT(message_of([&] { (void)MatrixNormal(M, two, one).log_density(Matrix::Zero(1, 2)); }),
              StartsWith("X: shape"));
  EXPECT_THAT(message_of([&] { MatrixT(M, one, one, 3); }), StartsWith("row_scale: "));
  EXPECT_THAT(message_of([&] { MatrixT(M, two, two, 3); }), StartsWith("column_scale: "));
  EXPECT_THAT(message_of([&] { MatrixT(M, two, one, 0); }), StartsWith("dof: "));
  EXPECT_THAT(message_of([&] { (void)MatrixT(M, two, one, 2).covariance(); }), StartsWith("dof: "));
  EXPECT_THAT(message_of([&] { InverseWishart(two, 4); }),
              StartsWith("nu: is 4, expected a finite number > 2p = 4"));
  EXPECT_THAT(message_of([&] { (void)InverseWishart(two, 6).mean(); }), StartsWith("nu: "));
  EXPECT_THAT(message_of([&] { (void)InverseWishart(two, 6).log_density(one); }), StartsWith("V: "));
}

}  // namespace
}  // namespace mbll
