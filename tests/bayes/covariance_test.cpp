#include "mbll/bayes/covariance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "support/golden.hpp"
#include "support/problem.hpp"

namespace mbll {
namespace {

using golden::relative_error;
using test::message_of;

/// The defining equations, for any way of building.
void expect_represents(const Covariance& covariance, const Matrix& S) {
  const Index n = S.rows();
  EXPECT_EQ(covariance.size(), n);
  EXPECT_LE(relative_error(covariance.factor() * covariance.factor().transpose(), S), 1e-13);
  EXPECT_LE(relative_error(covariance.inverse_factor() * covariance.factor(), Matrix::Identity(n, n)), 1e-12);
  EXPECT_TRUE(covariance.is_lower() ? covariance.factor().isLowerTriangular(0)
                                    : covariance.factor().isUpperTriangular(0));
  EXPECT_LE(relative_error(covariance.matrix(), S), 1e-13);
  EXPECT_EQ(covariance.matrix(), covariance.matrix().transpose());
  EXPECT_LE(relative_error(covariance.precision(), S.inverse()), 1e-11);
  EXPECT_LE(relative_error(covariance.diagonal(), S.diagonal()), 1e-13);
  EXPECT_LE(relative_error(covariance.precision_diagonal(), S.inverse().diagonal()), 1e-11);
  EXPECT_NEAR(covariance.trace(), S.trace(), 1e-12 * S.trace());
  EXPECT_NEAR(covariance.log_determinant(), std::log(S.determinant()), 1e-10);
  Rng rng = make_rng(3);
  const Matrix B = test::random_matrix(n, 2, rng);
  EXPECT_LE(relative_error(S * covariance.solve(B), B), 1e-11);
  EXPECT_LE(relative_error(covariance.factor() * covariance.whiten(B), B), 1e-12);
}

TEST(Covariance, EveryWayOfBuildingGivesTheMatrix) {
  for (const Index n : {1, 2, 7}) {
    Rng rng = make_rng(41);
    const Matrix S = test::random_spd(n, rng);
    const Covariance by_matrix = Covariance::from_matrix(S);
    expect_represents(by_matrix, S);
    expect_represents(Covariance::from_factor(by_matrix.factor()), S);
    expect_represents(by_matrix.scaled(2.5), 2.5 * S);
    const Vector units = test::random_positive(n, rng);
    expect_represents(by_matrix.rows_scaled(units), units.asDiagonal() * S * units.asDiagonal());
    Matrix P = test::random_matrix(n, n, rng).triangularView<Eigen::Upper>();
    P.diagonal().array() += 3;
    const Covariance by_root = Covariance::from_precision_root(P);
    expect_represents(by_root, (P.transpose() * P).inverse());
    expect_represents(by_root.scaled(0.1), 0.1 * (P.transpose() * P).inverse());
    expect_represents(Covariance::identity(n), Matrix::Identity(n, n));
    expect_represents(Covariance::isotropic(n, 0.3), 0.3 * Matrix::Identity(n, n));
    expect_represents(Covariance::diagonal(units), units.asDiagonal());
  }
}

TEST(Covariance, UnitsOfTheEntriesDoNotMatter) {
  Matrix S(3, 3);
  S << 4, 1, 0.5, 1, 2, 0.3, 0.5, 0.3, 1;
  const Vector units = Vector{{1e-140, 1, 1e140}};
  const Covariance covariance = Covariance::from_matrix(units.asDiagonal() * S * units.asDiagonal());
  EXPECT_LE(relative_error(units.cwiseInverse().asDiagonal() * covariance.factor(),
                           Covariance::from_matrix(S).factor()),
            1e-14);
}

TEST(Covariance, BadInputNamesTheArgument) {
  using testing::HasSubstr;
  using testing::StartsWith;
  const auto from = [](const Matrix& S) {
    return message_of([&] { (void)Covariance::from_matrix(S, "K"); });
  };
  EXPECT_THAT(from(Matrix::Ones(2, 3)), StartsWith("K: shape is 2×3"));
  EXPECT_THAT(from(Matrix(0, 0)), StartsWith("K: shape is 0×0"));
  Matrix S = Matrix::Identity(3, 3);
  S(0, 1) = 0.5;
  EXPECT_THAT(from(S), HasSubstr("K: is not symmetric, entries (0, 1) and (1, 0) are 0.5 and 0"));
  S(0, 1) = S(1, 0) = 1.5;
  EXPECT_THAT(from(S), HasSubstr("K: is not positive definite"));
  S(0, 1) = S(1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(from(S), StartsWith("K: entry (1, 0) is nan"));
  EXPECT_THAT(from(-Matrix::Identity(2, 2)), HasSubstr("diagonal entry 0 is -1"));
  EXPECT_THAT(message_of([] { (void)Covariance::isotropic(2, 0, "V"); }), StartsWith("V: is 0"));
  EXPECT_THAT(message_of([] {
                (void)Covariance::diagonal(Vector{{1, -2}}, "Psi");
              }),
              StartsWith("Psi: entry 1 is -2"));
  EXPECT_THAT(message_of([] { (void)Covariance::from_precision_root(Matrix::Zero(2, 2)); }),
              StartsWith("precision root: diagonal entry 0 is zero"));
  EXPECT_THAT(message_of([] { (void)Covariance::from_factor(Matrix::Ones(2, 2)); }),
              StartsWith("covariance factor: entry (0, 1) is 1, expected lower triangular"));
}

}  // namespace
}  // namespace mbll
