#include "mbll/bayes/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "mbll/error.hpp"
#include "support/golden.hpp"
#include "support/problem.hpp"
#include "support/random.hpp"

namespace mbll {
namespace {

using golden::relative_error;
using test::message_of;
using test::random_matrix;
using test::random_positive;

struct Samples {
  Matrix Phi;
  Matrix Y;
  Vector sigma;
};

Samples make_samples(Index d, Index p, Index N, std::uint64_t seed) {
  Rng rng = make_rng(seed);
  return {random_matrix(d, N, rng), random_matrix(p, N, rng), random_positive(N, rng, 0.1, 3)};
}

Statistics statistics_of(const Samples& samples, StatisticsOptions options = {}) {
  Statistics result(samples.Phi.rows(), samples.Y.rows(), options);
  result.add(samples.Phi, samples.Y, samples.sigma);
  return result;
}

/// [Φ; Y] D⁻¹ [Φ; Y]ᵀ by plain sums.
Matrix gram_reference(const Samples& samples) {
  Matrix stack(samples.Phi.rows() + samples.Y.rows(), samples.Phi.cols());
  stack << samples.Phi, samples.Y;
  return stack * samples.sigma.cwiseAbs2().cwiseInverse().asDiagonal() * stack.transpose();
}

void expect_same_data(const Statistics& a, const Statistics& b, double tolerance) {
  EXPECT_EQ(a.samples(), b.samples());
  EXPECT_NEAR(a.log_noise(), b.log_noise(), 1e-12 * (1 + std::abs(b.log_noise())));
  EXPECT_LE(relative_error(a.root(), b.root()), tolerance);
}

class BothMethods : public testing::TestWithParam<StatisticsMethod> {};
INSTANTIATE_TEST_SUITE_P(Method, BothMethods,
                         testing::Values(StatisticsMethod::automatic, StatisticsMethod::square_root));

TEST_P(BothMethods, RootHoldsAllGramMatrices) {
  // fewer samples than features, one, none, less and more than a block, several spans of which the last is
  // not full
  for (const Index N : {0, 1, 3, 40, 700, 20000, 40001}) {
    const Samples samples = make_samples(7, 3, N, 11);
    const Statistics data = statistics_of(samples, {GetParam(), 1});
    const Matrix expected = gram_reference(samples);
    EXPECT_EQ(data.samples(), N);
    EXPECT_LE(relative_error(data.root().transpose() * data.root(), expected), 1e-13) << N;
    EXPECT_LE(relative_error(data.feature_gram(), expected.topLeftCorner(7, 7)), 1e-13);
    EXPECT_LE(relative_error(data.cross_gram(), expected.bottomLeftCorner(3, 7)), 1e-13);
    EXPECT_LE(relative_error(data.output_gram(), expected.bottomRightCorner(3, 3)), 1e-13);
    EXPECT_NEAR(data.log_noise(), 2 * samples.sigma.array().log().sum(), 1e-9);
    EXPECT_TRUE(data.root().isUpperTriangular(0));
    EXPECT_GE(data.root().diagonal().minCoeff(), 0);
  }
}

TEST_P(BothMethods, SameBitsForAnyNumberOfThreads) {
  const Samples samples = make_samples(6, 2, 100000, 12);
  const Statistics one = statistics_of(samples, {GetParam(), 1});
  for (const int threads : {2, 3, 7}) {
    const Statistics many = statistics_of(samples, {GetParam(), threads});
    EXPECT_EQ(many.root(), one.root());
    EXPECT_EQ(many.log_noise(), one.log_noise());
  }
}

TEST(Statistics, TakesTheGramPathWhereItIsSafe) {
  const Statistics data = statistics_of(make_samples(6, 2, 20000, 13));
  EXPECT_EQ(data.gram_samples(), 20000);
}

TEST(Statistics, IllConditionedFeaturesGoByQrAndKeepTheirDigits) {
  Samples samples = make_samples(5, 2, 40000, 14);
  samples.Phi.row(4) = samples.Phi.row(0) + 1e-7 * samples.Phi.row(4);
  const Statistics automatic = statistics_of(samples);
  EXPECT_EQ(automatic.gram_samples(), 0);
  expect_same_data(automatic, statistics_of(samples, {StatisticsMethod::square_root, 1}), 1e-12);
  // The diagonal entry of the last feature is what is left of it beside the first: 1e-7 of the others, with
  // its own digits.
  const Matrix A = samples.sigma.cwiseInverse().asDiagonal() * samples.Phi.transpose();
  const Matrix R = A.householderQr().matrixQR().topRows(5).triangularView<Eigen::Upper>();
  EXPECT_NEAR(automatic.root()(4, 4), std::abs(R(4, 4)), 1e-7 * std::abs(R(4, 4)));
}

TEST(Statistics, ABadSpanInTheMiddleGoesByQr) {
  Samples samples = make_samples(5, 2, 60000, 15);
  samples.Phi.row(4).segment(14000, 32000) = samples.Phi.row(0).segment(14000, 32000);  // two spans at most
  const Statistics data = statistics_of(samples);
  EXPECT_GT(data.gram_samples(), 60000 / 4);
  EXPECT_LT(data.gram_samples(), 60000);
  expect_same_data(data, statistics_of(samples, {StatisticsMethod::square_root, 1}), 1e-12);
}

TEST(Statistics, ZeroFeaturesStayOnTheGramPath) {
  Samples samples = make_samples(5, 2, 20000, 16);
  samples.Phi.row(2).setZero();
  const Statistics data = statistics_of(samples);
  EXPECT_EQ(data.gram_samples(), 20000);
  EXPECT_LE(relative_error(data.root().transpose() * data.root(), gram_reference(samples)), 1e-13);
}

TEST(Statistics, HugeAndTinyValuesNeitherOverflowNorVanish) {
  for (const double unit : {1e200, 1e-150}) {
    Samples samples = make_samples(4, 2, 3000, 17);
    const Statistics plain = statistics_of(samples);
    samples.Phi *= unit;
    samples.Y *= unit;
    const Statistics scaled = statistics_of(samples, {StatisticsMethod::automatic, 1});
    EXPECT_LE(relative_error(scaled.root() / unit, plain.root()), 1e-12) << unit;
  }
}

TEST(Statistics, AddingInPartsMergingAndSingleSamplesAgree) {
  const Samples samples = make_samples(6, 3, 9000, 18);
  const Statistics once = statistics_of(samples);

  Statistics parts(6, 3);
  for (const auto& [first, count] :
       std::vector<std::pair<Index, Index>>{{4000, 5000}, {0, 1}, {1, 0}, {1, 3999}})
    parts.add(samples.Phi.middleCols(first, count), samples.Y.middleCols(first, count),
              samples.sigma.segment(first, count));
  expect_same_data(parts, once, 1e-12);

  Statistics left(6, 3);
  left.add(samples.Phi.leftCols(2500), samples.Y.leftCols(2500), samples.sigma.head(2500));
  Statistics right(6, 3);
  right.add(samples.Phi.rightCols(6500), samples.Y.rightCols(6500), samples.sigma.tail(6500));
  left.merge(right);
  left.merge(Statistics(6, 3));
  expect_same_data(left, once, 1e-12);

  Statistics one_by_one(6, 3);
  for (Index i = 0; i < 9000; ++i)
    one_by_one.add_sample(samples.Phi.col(i), samples.Y.col(i), samples.sigma(i));
  expect_same_data(one_by_one, once, 1e-12);
}

TEST(Statistics, WithoutSigmaItIsOne) {
  for (const Index outputs : {1, 2, 6}) {  // few and many go different ways
    Samples samples = make_samples(5, outputs, 12345, 19);
    samples.sigma.setOnes();
    Statistics data(5, outputs);
    data.add(samples.Phi, samples.Y);
    expect_same_data(data, statistics_of(samples), 1e-13);
    EXPECT_EQ(data.log_noise(), 0);
    EXPECT_EQ(data.gram_samples(), 12345);
  }
}

TEST(Statistics, NoiseCanBeScaledAfterwards) {
  Samples samples = make_samples(5, 2, 300, 20);
  const Statistics scaled = statistics_of(samples).with_noise_scaled(0.3);
  samples.sigma *= 0.3;
  expect_same_data(scaled, statistics_of(samples), 1e-13);
}

TEST(Statistics, AccumulatesWhatASourceMakes) {
  const Samples samples = make_samples(5, 2, 50000, 21);
  const BlockSource source = [&](Index first, MatrixSpan Phi, MatrixSpan Y, VectorSpan sigma) {
    Phi = samples.Phi.middleCols(first, Phi.cols());
    Y = samples.Y.middleCols(first, Y.cols());
    sigma = samples.sigma.segment(first, sigma.size());
  };
  const Statistics data = accumulate(5, 2, 50000, source, {StatisticsMethod::automatic, 2});
  EXPECT_EQ(data.root(), statistics_of(samples).root());
  EXPECT_EQ(data.log_noise(), statistics_of(samples).log_noise());
}

TEST(Statistics, BadInputNamesTheArgumentAndChangesNothing) {
  using testing::StartsWith;
  const Samples good = make_samples(3, 2, 20000, 22);
  Statistics data = statistics_of(good);
  const Matrix before = data.root();
  const auto add = [&](const Samples& samples) {
    return message_of([&] { data.add(samples.Phi, samples.Y, samples.sigma); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();

  Samples bad = good;
  bad.Phi(1, 17000) = nan;
  EXPECT_THAT(add(bad), StartsWith("Phi: entry (1, 17000) is nan"));
  bad = good;
  bad.Y(0, 5) = infinity;
  EXPECT_THAT(add(bad), StartsWith("Y: entry (0, 5) is inf"));
  for (const double sigma : {0.0, -1.0, nan, infinity}) {
    bad = good;
    bad.sigma(18000) = sigma;
    EXPECT_THAT(add(bad), StartsWith("sigma: entry 18000 is"));
  }
  bad = good;
  bad.sigma(2) = 1e-309;
  EXPECT_THAT(add(bad), StartsWith("sigma: so small"));
  bad = good;
  bad.sigma.conservativeResize(7);
  EXPECT_THAT(add(bad), StartsWith("sigma: has 7 entries, expected 20000"));
  bad = good;
  bad.Y = bad.Y.leftCols(9).eval();
  EXPECT_THAT(add(bad), StartsWith("Y: shape is 2×9, expected 2×20000"));
  bad = good;
  bad.Phi = Matrix::Zero(4, 20000);
  EXPECT_THAT(add(bad), StartsWith("Phi: shape is 4×20000, expected 3×20000"));

  const Vector phi = Vector::Ones(3);
  const Vector y = Vector::Ones(2);
  EXPECT_THAT(message_of([&] { data.add_sample(Vector::Ones(2), y, 1); }), StartsWith("phi: "));
  EXPECT_THAT(message_of([&] { data.add_sample(nan * phi, y, 1); }), StartsWith("phi: "));
  EXPECT_THAT(message_of([&] { data.add_sample(phi, nan * y, 1); }), StartsWith("y: "));
  EXPECT_THAT(message_of([&] { data.add_sample(phi, y, 0); }), StartsWith("sigma: "));
  EXPECT_THAT(message_of([&] { data.merge(Statistics(3, 1)); }),
              StartsWith("other: has 3 features and 1 outputs"));
  EXPECT_THAT(message_of([&] { (void)data.with_noise_scaled(-1); }), StartsWith("c: "));
  EXPECT_THAT(message_of([] { Statistics(0, 1); }), StartsWith("features: "));
  EXPECT_THAT(message_of([] { Statistics(1, 0); }), StartsWith("outputs: "));

  EXPECT_EQ(data.root(), before);
  EXPECT_EQ(data.samples(), 20000);
}

}  // namespace
}  // namespace mbll
