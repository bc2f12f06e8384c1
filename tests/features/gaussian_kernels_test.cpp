#include "mbll/features/gaussian_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "features/support.hpp"
#include "mbll/features/feature_map.hpp"

namespace mbll {
namespace {

using test::message_of;
using test::random_matrix;

TEST(GaussianKernels, IsTheFormula) {
  for (const Index q : {1, 3}) {
    const GaussianKernels map{random_matrix(q, 5, 1), Vector::LinSpaced(5, 0.3, 2)};
    const Matrix X = random_matrix(q, 7, 2);
    const Matrix Phi = FeatureMap(map)(X);
    for (Index n = 0; n < 7; ++n)
      for (Index j = 0; j < 5; ++j) {
        double squared = 0;
        for (Index i = 0; i < q; ++i) squared += std::pow(X(i, n) - map.centres(i, j), 2);
        const double expected = std::exp(-squared / (2 * map.widths(j) * map.widths(j)));
        EXPECT_NEAR(Phi(j, n), expected, 1e-13);
      }
  }
}

TEST(GaussianKernels, KeepsItsPrecisionFarFromTheOrigin) {
  const double far = std::ldexp(1.0, 40);
  const FeatureMap near = GaussianKernels::of_width(Matrix::Constant(2, 1, 0.25), 0.5);
  const FeatureMap away = GaussianKernels::of_width(Matrix::Constant(2, 1, far + 0.25), 0.5);
  const Matrix X = Matrix::Constant(2, 1, 0.5);
  EXPECT_EQ(near(X), away((X.array() + far).matrix()));
}

TEST(GaussianKernels, IsZeroForDistantPointsAndOneAtTheCentre) {
  const FeatureMap map = GaussianKernels::of_width(Matrix::Zero(2, 1), 1e-3);
  Matrix X(2, 3);
  X << 1, 1e200, 0, 1, -1e308, 0;
  const Matrix Phi = map(X);
  EXPECT_NEAR(Phi(0, 0), 0, 1e-300);
  EXPECT_NEAR(Phi(0, 1), 0, 1e-300);
  EXPECT_EQ(Phi(0, 2), 1);
}

TEST(GaussianKernels, RefusesBadFields) {
  EXPECT_EQ(message_of([] { (void)GaussianKernels::of_width(Matrix::Zero(2, 3), 0); }),
            "width: is 0, expected a finite number > 0");
  EXPECT_EQ(message_of([] {
              GaussianKernels{Matrix::Zero(2, 3), Vector::Ones(2)}.validate();
            }),
            "widths: has 2 entries, expected 3");
  EXPECT_EQ(message_of([] {
              GaussianKernels{Matrix::Zero(2, 3), -Vector::Ones(3)}.validate();
            }),
            "widths: entry 0 is -1, expected a finite number > 0");
  EXPECT_EQ(message_of([] {
              GaussianKernels{Matrix::Zero(2, 3), Vector::Constant(3, 1e-310)}.validate();
            }),
            "widths: too small to be inverted");
}

}  // namespace
}  // namespace mbll
