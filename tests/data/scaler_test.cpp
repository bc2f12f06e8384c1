#include "mbll/data/scaler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mbll/error.hpp"

namespace mbll {
namespace {

TEST(Scaler, MeanZeroAndStandardDeviationOne) {
  Rng rng = make_rng(1);
  std::normal_distribution<double> normal;
  Matrix X(3, 40);
  for (double& x : X.reshaped()) x = normal(rng);
  X.row(1) = X.row(1) * 1e-7 + Matrix::Constant(1, 40, 5);
  X.row(2) *= 1e9;
  const Scaler scaler = Scaler::fit(X);
  const Matrix Z = scaler.transform(X);
  for (Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(scaler.mean(j), X.row(j).sum() / 40, 1e-14 * std::abs(scaler.mean(j)) + 1e-15);
    EXPECT_NEAR(Z.row(j).mean(), 0, 1e-8);
    EXPECT_NEAR(Z.row(j).squaredNorm() / 40, 1, 1e-8);
  }
  EXPECT_LT((scaler.inverse(Z) - X).norm(), 1e-15 * X.norm());
  EXPECT_TRUE(scaler.inverse_std(Matrix::Ones(3, 2)).isApprox(scaler.scale.replicate(1, 2)));
  EXPECT_NEAR(scaler.log_volume(), std::log(scaler.scale.prod()), 1e-12);
}

TEST(Scaler, ConstantFeaturesSurvive) {
  Matrix X(2, 7);
  X.row(0).setConstant(0.1);  // its sum is not exactly 0.7
  X.row(1).setLinSpaced(0, 1);
  const Scaler scaler = Scaler::fit(X);
  EXPECT_EQ(scaler.scale(0), 1);
  const Matrix Z = scaler.transform(X);
  EXPECT_TRUE((Z.row(0).array() == 0).all());
  EXPECT_TRUE((scaler.inverse(Z).row(0).array() == 0.1).all());
  EXPECT_EQ(Scaler::fit(X.leftCols(1)).scale, Vector::Ones(2)) << "one sample";
}

TEST(Scaler, HugeAndTinyValues) {
  constexpr double kMax = std::numeric_limits<double>::max();
  Matrix X(4, 4);
  X << 1e300, -1e300, 3e300, 0,        //
      kMax, -kMax, kMax, -kMax,        //
      1e-300, 2e-300, 3e-300, 4e-300,  //
      0, 5e-324, 0, 0;
  const Scaler scaler = Scaler::fit(X);
  EXPECT_NO_THROW(scaler.validate());
  const Matrix Z = scaler.transform(X);
  ASSERT_TRUE(Z.allFinite());
  for (Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(Z.row(j).mean(), 0, 1e-12);
    EXPECT_NEAR(Z.row(j).squaredNorm() / 4, 1, 1e-12);
  }
  EXPECT_EQ(scaler.scale(3), 1);
  EXPECT_TRUE(scaler.inverse(Z).allFinite());
}

TEST(Scaler, Arguments) {
  EXPECT_THROW((void)Scaler::fit(Matrix(3, 0)), InvalidArgument);
  EXPECT_THROW((void)Scaler::fit(Matrix::Constant(1, 2, std::nan(""))), InvalidArgument);
  EXPECT_THROW((void)Scaler::identity(3).transform(Matrix::Zero(2, 5)), InvalidArgument);
  EXPECT_THROW((Scaler{Vector::Zero(2), Vector::Zero(2)}.validate()), InvalidArgument);
  EXPECT_THROW((Scaler{Vector::Zero(2), Vector::Ones(3)}.validate()), InvalidArgument);
}

}  // namespace
}  // namespace mbll
