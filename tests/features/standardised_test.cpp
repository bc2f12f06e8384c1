#include "mbll/features/standardised.hpp"

#include <gtest/gtest.h>

#include "features/support.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/identity.hpp"
#include "mbll/features/polynomial.hpp"

namespace mbll {
namespace {

using test::message_of;
using test::random_matrix;

/// cos² + sin² and its tenth: constant up to rounding only.
struct RoundedConstants {
  [[nodiscard]] Index inputs() const { return 1; }
  [[nodiscard]] Index features() const { return 2; }
  void map(const MatrixView& X, MatrixSpan Phi) const {
    Phi.row(0) = X.array().cos().square() + X.array().sin().square();
    Phi.row(1) = 0.1 * Phi.row(0);
  }
};

TEST(Standardised, FeaturesHaveMeanZeroAndDeviationOne) {
  const Index N = 1301;  // several blocks, the last one short
  const Matrix X = ((3 * random_matrix(2, N, 1)).array() + 5).matrix();
  const Matrix Phi = FeatureMap(Standardised::fit(Polynomial::of_degree(2, 3), X))(X);
  for (Index k = 0; k < Phi.rows(); ++k) {
    const double mean = Phi.row(k).mean();
    EXPECT_NEAR(mean, 0, 1e-13);
    EXPECT_NEAR((Phi.row(k).array() - mean).square().mean(), 1, 1e-12);
  }
}

TEST(Standardised, IsAffineInTheInnerFeatures) {
  const FeatureMap inner = Polynomial::of_degree(2, 2);
  const Vector shift = random_matrix(5, 1, 2);
  const Vector scale = Vector::LinSpaced(5, 0.5, 4);
  const Matrix X = random_matrix(2, 7, 3);
  const Matrix Phi = FeatureMap(Standardised{inner, shift, scale})(X);
  const Matrix back = (scale.asDiagonal() * Phi).colwise() + shift;
  EXPECT_LE((back - inner(X)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Standardised, DeviationSurvivesALargeOffset) {
  Matrix X(1, 4);
  X << 1e9 + 1, 1e9 - 1, 1e9 + 1, 1e9 - 1;
  const Standardised map = Standardised::fit(Identity{1}, X);
  EXPECT_EQ(map.shift(0), 1e9);
  EXPECT_EQ(map.scale(0), 1);
}

TEST(Standardised, ConstantFeaturesSurvive) {
  const Matrix X = random_matrix(1, 700, 4);
  const FeatureMap inner = WithConstant{Concatenated{{Identity{1}, RoundedConstants{}}}};
  const Standardised map = Standardised::fit(inner, X);
  EXPECT_NE(map.shift(0), 0);
  EXPECT_EQ(map.shift.tail(3), Vector::Zero(3));
  EXPECT_EQ(map.scale.tail(3), Vector::Ones(3));
  EXPECT_EQ(FeatureMap(map)(X).bottomRows(3), inner(X).bottomRows(3));
}

TEST(Standardised, OneSampleKeepsItsFeatures) {
  const Matrix X = random_matrix(3, 1, 5);
  EXPECT_EQ(FeatureMap(Standardised::fit(Identity{3}, X))(X), X);
}

TEST(Standardised, RefusesBadArguments) {
  EXPECT_EQ(message_of([] { (void)Standardised::fit(Identity{2}, Matrix(2, 0)); }), "X: has no samples");
  EXPECT_EQ(message_of([] { (void)Standardised::fit(Identity{2}, Matrix::Zero(3, 4)); }),
            "X: has 3 rows (inputs), the feature map takes 2");
  EXPECT_EQ(message_of([] {
              Standardised{Identity{2}, Vector::Zero(3), Vector::Ones(2)}.validate();
            }),
            "shift: has 3 entries, expected 2");
  EXPECT_EQ(message_of([] {
              Standardised{Identity{2}, Vector::Zero(2), Vector::Zero(2)}.validate();
            }),
            "scale: entry 0 is 0, expected a finite number > 0");
}

}  // namespace
}  // namespace mbll
