#include "mbll/features/random_fourier.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "features/support.hpp"
#include "mbll/features/feature_map.hpp"

namespace mbll {
namespace {

using test::message_of;
using test::random_matrix;

TEST(RandomFourier, IsTheFormula) {
  const RandomFourier map{random_matrix(3, 5, 1), Vector::LinSpaced(5, 0, 4)};
  const Matrix X = random_matrix(3, 7, 2);
  const Matrix Phi = FeatureMap(map)(X);
  for (Index n = 0; n < 7; ++n)
    for (Index j = 0; j < 5; ++j) {
      double angle = map.phases(j);
      for (Index i = 0; i < 3; ++i) angle += map.frequencies(i, j) * X(i, n);
      EXPECT_NEAR(Phi(j, n), std::sqrt(2.0 / 5) * std::cos(angle), 1e-14);
    }
}

TEST(RandomFourier, InnerProductsApproximateTheGaussianKernel) {
  // φ(x)ᵀφ(x') is a mean of m independent terms 2 cos(·) cos(·) in [−2, 2]: by Hoeffding it misses its
  // expectation by more than t with probability ≤ 2 exp(−m t²/8). For all 190 pairs together that is 1e-6 at
  // the tolerance below.
  const Index m = 20000;
  const Index N = 20;
  const double tolerance = std::sqrt(8.0 / m * std::log(2 * 190 / 1e-6));
  const Vector lengthscales = Eigen::Vector3d(0.5, 2, 4);
  const Matrix X = random_matrix(3, N, 3);
  const Matrix Phi = FeatureMap(RandomFourier::gaussian(m, lengthscales, 4))(X);
  double largest = 0;
  for (Index n = 0; n < N; ++n)
    for (Index l = 0; l < n; ++l) {
      const double kernel =
          std::exp(-0.5 * ((X.col(n) - X.col(l)).array() / lengthscales.array()).square().sum());
      largest = std::max(largest, kernel);
      EXPECT_NEAR(Phi.col(n).dot(Phi.col(l)), kernel, tolerance);
    }
  EXPECT_GT(largest, 4 * tolerance) << "otherwise zero would pass";
}

TEST(RandomFourier, SeedDecides) {
  const RandomFourier a = RandomFourier::gaussian(9, 2, 0.7, 1);
  const RandomFourier b = RandomFourier::gaussian(9, Vector::Constant(2, 0.7), 1);
  EXPECT_EQ(a.frequencies, b.frequencies);
  EXPECT_EQ(a.phases, b.phases);
  EXPECT_NE(a.frequencies, RandomFourier::gaussian(9, 2, 0.7, 2).frequencies);
}

TEST(RandomFourier, RefusesBadFields) {
  EXPECT_EQ(message_of([] { (void)RandomFourier::gaussian(0, 2, 1, 0); }),
            "features: is 0, expected at least 1");
  EXPECT_EQ(message_of([] { (void)RandomFourier::gaussian(3, 0, 1, 0); }),
            "inputs: is 0, expected at least 1");
  EXPECT_EQ(message_of([] { (void)RandomFourier::gaussian(3, 2, -1, 0); }),
            "lengthscale: is -1, expected a finite number > 0");
  EXPECT_EQ(message_of([] {
              RandomFourier{Matrix::Zero(2, 3), Vector::Zero(2)}.validate();
            }),
            "phases: has 2 entries, expected 3");
}

}  // namespace
}  // namespace mbll
