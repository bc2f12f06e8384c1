#include "mbll/features/centres.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "features/support.hpp"

namespace mbll {
namespace {

using test::message_of;
using test::random_matrix;
using testing::HasSubstr;

TEST(Grid, FirstInputRunsFastestAndCornersAreIncluded) {
  Matrix expected(3, 6);
  expected << -1, 0, 1, -1, 0, 1,  //
      5, 5, 5, 7, 7, 7,            //
      3, 3, 3, 3, 3, 3;
  EXPECT_EQ(grid(Eigen::Vector3d(-1, 5, 2), Eigen::Vector3d(1, 7, 4), {3, 2, 1}), expected);
}

TEST(Grid, RefusesBadArguments) {
  const Vector zero = Vector::Zero(2);
  const Vector one = Vector::Ones(2);
  EXPECT_EQ(message_of([&] {
              (void)grid(zero, Vector::Ones(3), {2, 2});
            }),
            "upper: has 3 entries, expected 2");
  EXPECT_EQ(message_of([&] { (void)grid(zero, one, {2}); }), "counts: has 1 entries, expected 2");
  EXPECT_EQ(message_of([&] { (void)grid(one, zero, {2, 2}); }), "lower: is above upper");
  EXPECT_EQ(message_of([&] { (void)grid(zero, one, {2, 0}); }), "counts: 0 found, expected at least 1");
  const Index huge = std::numeric_limits<Index>::max() / 2;
  EXPECT_THAT(message_of([&] { (void)grid(zero, one, {huge, huge}); }), HasSubstr("more than 10^6"));
}

/// Clusters of radius ≤ 0.5 around points that are 10 apart; the samples of the clusters take turns.
struct Planted {
  Matrix centres = 10 * grid(Eigen::Vector3d(0, -1, 0), Eigen::Vector3d(1, 1, 0), {2, 3, 1});  // 3×6
  Matrix X = Matrix(3, 600);
  Planted() {
    for (Index n = 0; n < X.cols(); ++n)
      X.col(n) = centres.col(n % 6) + 0.5 * random_matrix(3, 1, n).cwiseMin(1).cwiseMax(-1);
  }
};

TEST(KMeans, RecoversPlantedClusters) {
  const Planted planted;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const KMeans found = k_means(planted.X, {.clusters = 6, .seed = seed});
    EXPECT_TRUE(found.converged);
    ASSERT_EQ(found.centres.cols(), 6);
    for (Index n = 0; n < planted.X.cols(); ++n) {
      EXPECT_EQ(found.nearest[n], found.nearest[n % 6]);
      EXPECT_LE((found.centres.col(found.nearest[n]) - planted.centres.col(n % 6)).norm(), 0.3);
    }
  }
}

TEST(KMeans, EndsWhereEveryCentreIsTheMeanOfTheSamplesNearestToIt) {
  const Matrix X = (random_matrix(2, 301, 7).array() + 1e3).matrix();
  const KMeans found = k_means(X, {.clusters = 9, .seed = 3});
  ASSERT_TRUE(found.converged);
  double inertia = 0;
  Matrix sums = Matrix::Zero(2, 9);
  Vector counts = Vector::Zero(9);
  for (Index n = 0; n < X.cols(); ++n) {
    Index nearest = 0;
    inertia += (found.centres.colwise() - X.col(n)).colwise().squaredNorm().minCoeff(&nearest);
    EXPECT_EQ(nearest, found.nearest[n]);
    sums.col(nearest) += X.col(n);
    counts(nearest) += 1;
  }
  EXPECT_NEAR(found.inertia, inertia, 1e-9 * inertia);
  EXPECT_LE((sums * counts.cwiseInverse().asDiagonal() - found.centres).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(KMeans, SameSeedSameBitsForAnyNumberOfThreads) {
  const Matrix X = random_matrix(4, 3000, 8);
  const KMeans one = k_means(X, {.clusters = 13, .seed = 5, .threads = 1});
  const KMeans three = k_means(X, {.clusters = 13, .seed = 5, .threads = 3});
  EXPECT_EQ(one.centres, three.centres);
  EXPECT_EQ(one.nearest, three.nearest);
  EXPECT_EQ(one.inertia, three.inertia);
  EXPECT_NE(one.centres, k_means(X, {.clusters = 13, .seed = 6}).centres);
}

TEST(KMeans, StartsWhereItIsTold) {
  const Planted planted;
  const KMeans found = k_means(planted.X, {.clusters = 6, .start = planted.centres});
  for (Index n = 0; n < 6; ++n) EXPECT_EQ(found.nearest[n], n);
}

TEST(KMeans, EmptyClustersStartAgain) {
  const Planted planted;
  Matrix start = planted.centres;
  start.rightCols(4).array() += 1e6;  // nearest to nobody
  const KMeans found = k_means(planted.X, {.clusters = 6, .start = start});
  EXPECT_TRUE(found.converged);
  EXPECT_TRUE(found.centres.allFinite());
  for (Index j = 0; j < 6; ++j) EXPECT_NE(std::ranges::count(found.nearest, j), 0);
  EXPECT_LE(found.inertia, k_means(planted.X, {.clusters = 2}).inertia / 2);
}

TEST(KMeans, FewerDifferentSamplesThanClusters) {
  Matrix X(2, 7);
  X << 1, 1, 4, 4, 4, 1, -2,  //
      2, 2, 5, 5, 5, 2, -2;
  const KMeans found = k_means(X, {.clusters = 5});
  EXPECT_EQ(found.centres.cols(), 3);
  EXPECT_NEAR(found.inertia, 0, 1e-25);
  const KMeans constant = k_means(Matrix::Zero(2, 4), {.clusters = 3});
  EXPECT_EQ(constant.centres, Matrix::Zero(2, 1));
}

TEST(KMeans, OneSampleAndHugeValues) {
  EXPECT_EQ(k_means(Matrix::Constant(2, 1, 3), {}).centres, Matrix::Constant(2, 1, 3));
  Matrix X(1, 4);
  X << 1e200, 1.1e200, -1e200, -1.1e200;
  const KMeans found = k_means(X, {.clusters = 2});
  EXPECT_NEAR(found.centres.cwiseAbs().maxCoeff() / 1.05e200, 1, 1e-12);
  EXPECT_NEAR(found.centres.sum() / 1e200, 0, 1e-12);
}

TEST(KMeans, StepLimitIsSaid) {
  const KMeans found = k_means(random_matrix(2, 500, 9), {.clusters = 20, .max_steps = 1});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.steps, 1);
}

TEST(KMeans, RefusesBadArguments) {
  const Matrix X = random_matrix(2, 3, 1);
  EXPECT_EQ(message_of([&] { (void)k_means(X, {.clusters = 0}); }), "clusters: is 0, expected at least 1");
  EXPECT_EQ(message_of([&] { (void)k_means(X, {.clusters = 4}); }),
            "clusters: is 4, more than the 3 samples");
  EXPECT_EQ(message_of([&] { (void)k_means(X, {.max_steps = 0}); }), "max_steps: is 0, expected at least 1");
  EXPECT_EQ(message_of([&] { (void)k_means(Matrix(2, 0), {}); }), "X: is empty");
  EXPECT_EQ(message_of([&] { (void)k_means(X, {.clusters = 2, .start = Matrix::Zero(2, 3)}); }),
            "start: shape is 2×3, expected 2×2");
  const Matrix bad = Matrix::Constant(2, 3, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(message_of([&] { (void)k_means(bad, {}); }), HasSubstr("X: entry (0, 0) is nan"));
}

TEST(TypicalSpacing, IsTheMedianDistanceToTheNearest) {
  Matrix points(1, 5);
  points << 0, 1, 3, 7, 100;  // nearest: 1 1 2 4 93
  EXPECT_EQ(typical_spacing(points), 2);
  EXPECT_NEAR(typical_spacing(grid(Vector::Zero(2), Vector::Ones(2), {5, 5})), 0.25, 1e-15);
  EXPECT_EQ(message_of([] { (void)typical_spacing(Matrix::Zero(2, 1)); }),
            "points: has 1 columns, expected at least 2");
}

}  // namespace
}  // namespace mbll
