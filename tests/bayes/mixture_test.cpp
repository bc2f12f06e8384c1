#include "mbll/bayes/mixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "support/golden.hpp"
#include "support/moments.hpp"
#include "support/problem.hpp"

namespace mbll {
namespace {

using golden::relative_error;
using test::message_of;
using Member = std::shared_ptr<const Predictive>;

using test::infinity;

Member make_member(std::uint64_t seed, double dof, Index outputs = 2) {
  Rng rng = make_rng(seed);
  return std::make_shared<SharedPredictive>(3 * test::random_matrix(outputs, 3, rng),
                                            test::random_positive(3, rng), test::random_positive(3, rng),
                                            test::random_spd(outputs, rng), dof);
}

const Vector weights{{0.2, 0.5, 0.3}};

TEST(MixturePredictive, OfOneMemberIsTheMember) {
  Rng rng = make_rng(61);
  const Matrix Y = 2 * test::random_matrix(2, 3, rng);
  for (const double dof : {infinity, 5.0}) {
    const Member member = make_member(62, dof);
    for (const MixturePredictive& mixture :
         {MixturePredictive({member}), MixturePredictive({member, member, member}, weights)}) {
      EXPECT_LE(relative_error(mixture.mean(), member->mean()), 1e-14);
      EXPECT_LE(relative_error(mixture.total_covariance(1), member->total_covariance(1)), 1e-14);
      EXPECT_LE(relative_error(mixture.log_density(Y), member->log_density(Y)), 1e-13);
      EXPECT_LE(relative_error(mixture.marginal_log_density(Y), member->marginal_log_density(Y)), 1e-13);
      EXPECT_LE(relative_error(mixture.cdf(Y), member->cdf(Y)), 1e-13);
      EXPECT_LE(relative_error(mixture.interval(0.9).upper, member->interval(0.9).upper), 1e-11);
      EXPECT_LE(relative_error(mixture.interval(0.9).lower, member->interval(0.9).lower), 1e-11);
      EXPECT_LE(relative_error(mixture.crps(Y), member->crps(Y)), 1e-8);
      EXPECT_EQ(mixture.dof(), dof);
    }
  }
}

TEST(MixturePredictive, LawOfTotalVariance) {
  const std::vector<Member> members = {make_member(63, infinity), make_member(64, 6), make_member(65, 9)};
  const MixturePredictive mixture(members, weights);
  Matrix mean = Matrix::Zero(2, 3);
  for (int m = 0; m < 3; ++m) mean += weights(m) * members[m]->mean();
  EXPECT_LE(relative_error(mixture.mean(), mean), 1e-14);
  for (Index l = 0; l < 3; ++l) {
    Matrix second = -mean.col(l) * mean.col(l).transpose();  // E[yyᵀ] − mean meanᵀ
    Matrix aleatoric = Matrix::Zero(2, 2);
    for (int m = 0; m < 3; ++m) {
      second += weights(m) * (members[m]->total_covariance(l) +
                              members[m]->mean().col(l) * members[m]->mean().col(l).transpose());
      aleatoric += weights(m) * members[m]->aleatoric_covariance(l);
    }
    EXPECT_LE(relative_error(mixture.total_covariance(l), second), 1e-13);
    EXPECT_LE(relative_error(mixture.aleatoric_covariance(l), aleatoric), 1e-14);
    EXPECT_LE(relative_error(mixture.total_factored(l).matrix(), second), 1e-13);
    EXPECT_LE(relative_error(mixture.total_variance().col(l), second.diagonal()), 1e-13);
    EXPECT_LE(relative_error(mixture.aleatoric_variance().col(l), aleatoric.diagonal()), 1e-14);
  }
}

TEST(MixturePredictive, DensityCdfIntervalAndCrpsAgree) {
  Rng rng = make_rng(66);
  const Matrix Y = 3 * test::random_matrix(2, 3, rng);
  for (const double dof : {infinity, 4.0}) {
    const MixturePredictive mixture({make_member(67, dof), make_member(68, infinity), make_member(69, dof)},
                                    weights);
    const double h = 1e-5;
    const Matrix slope = (mixture.cdf(Y.array() + h) - mixture.cdf(Y.array() - h)) / (2 * h);
    EXPECT_LE(relative_error(mixture.marginal_log_density(Y).array().exp(), slope), 1e-8);
    for (const double level : {0.01, 0.5, 0.999}) {
      const Interval interval = mixture.interval(level);
      EXPECT_LE(relative_error(mixture.cdf(interval.lower), Matrix::Constant(2, 3, (1 - level) / 2)), 1e-10);
      EXPECT_LE(relative_error(mixture.cdf(interval.upper), Matrix::Constant(2, 3, (1 + level) / 2)), 1e-10);
    }
    const Matrix crps = mixture.crps(Y);
    using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
    const auto square = [&](double x, bool above) {
      const double F = mixture.cdf(Matrix::Constant(2, 3, x))(1, 2);
      return std::pow(above ? 1 - F : F, 2);
    };
    const double expected =
        Quadrature::integrate([&](double x) { return square(x, false); }, -infinity, Y(1, 2), 12, 1e-11) +
        Quadrature::integrate([&](double x) { return square(x, true); }, Y(1, 2), infinity, 12, 1e-11);
    EXPECT_NEAR(crps(1, 2), expected, 1e-7);
  }
}

TEST(MixturePredictive, LogDensityIsTheLogOfTheMeanDensityAndDoesNotUnderflow) {
  const std::vector<Member> members = {make_member(70, infinity), make_member(71, infinity)};
  const MixturePredictive mixture(members);
  const Matrix Y = Matrix::Constant(2, 3, 1.5);
  const Vector expected =
      (0.5 * (members[0]->log_density(Y).array().exp() + members[1]->log_density(Y).array().exp())).log();
  EXPECT_LE(relative_error(mixture.log_density(Y), expected), 1e-12);
  EXPECT_TRUE(mixture.log_density(Matrix::Constant(2, 3, 1e5)).allFinite());
}

TEST(MixturePredictive, EllipsoidOfOneOutputIsTheCentralLevel) {
  const MixturePredictive mixture({make_member(72, infinity, 1), make_member(73, 5, 1)});
  const Interval interval = mixture.interval(0.8);
  EXPECT_LE(relative_error(mixture.ellipsoid_level(interval.upper), Vector::Constant(3, 0.8)), 1e-10);
  EXPECT_LE(relative_error(mixture.ellipsoid_level(interval.lower), Vector::Constant(3, 0.8)), 1e-10);
}

TEST(MixturePredictive, OfMixturesIsFlattened) {
  const Member a = make_member(74, infinity);
  const Member b = make_member(75, infinity);
  const Member c = make_member(76, infinity);
  const MixturePredictive nested(
      {std::make_shared<MixturePredictive>(std::vector<Member>{a, b}, Vector{{0.25, 0.75}}), c},
      Vector{{0.4, 0.6}});
  const MixturePredictive flat({a, b, c}, Vector{{0.1, 0.3, 0.6}});
  const Matrix Y = Matrix::Ones(2, 3);
  EXPECT_EQ(nested.members().size(), 3);
  EXPECT_LE(relative_error(nested.crps(Y), flat.crps(Y)), 1e-13);
  EXPECT_LE(relative_error(nested.total_covariance(2), flat.total_covariance(2)), 1e-13);
}

TEST(MixturePredictive, DrawsHaveTheMoments) {
  const MixturePredictive mixture({make_member(77, infinity), make_member(78, 12), make_member(79, infinity)},
                                  weights);
  Rng rng = make_rng(80);
  const std::vector<Matrix> draws = mixture.sample(20000, rng);
  test::expect_mean(draws, mixture.mean());
  Matrix covariance = Matrix::Zero(6, 6);
  for (Index l = 0; l < 3; ++l) covariance.block(2 * l, 2 * l, 2, 2) = mixture.total_covariance(l);
  test::expect_covariance(draws, mixture.mean(), covariance);
}

TEST(MixturePredictive, RescalingMovesEverythingAlong) {
  const MixturePredictive mixture({make_member(81, infinity), make_member(82, 5)});
  const Vector scale{{2.0, 0.3}};
  const Vector shift{{-1.0, 5.0}};
  const Matrix Y = Matrix::Ones(2, 3);
  const Matrix moved = (scale.asDiagonal() * Y).colwise() + shift;
  EXPECT_LE(relative_error(mixture.rescaled(scale, shift)->cdf(moved), mixture.cdf(Y)), 1e-12);
}

TEST(MixturePredictive, BadInputNamesTheArgument) {
  using testing::StartsWith;
  const Member a = make_member(83, infinity);
  EXPECT_THAT(message_of([] { MixturePredictive mixture({}); }), StartsWith("members: is empty"));
  EXPECT_THAT(message_of([&] {
                MixturePredictive mixture({a, nullptr});
              }),
              StartsWith("members: member 1 is null"));
  EXPECT_THAT(message_of([&] {
                MixturePredictive mixture({a, make_member(84, 5, 1)});
              }),
              StartsWith("members[1]: shape is 1×3"));
  EXPECT_THAT(message_of([&] {
                MixturePredictive mixture({a}, Vector{{1, 2}});
              }),
              StartsWith("weights: has 2 entries"));
  EXPECT_THAT(message_of([&] {
                MixturePredictive mixture({a, a}, Vector{{1, -2}});
              }),
              StartsWith("weights: "));
  EXPECT_THAT(message_of([&] { (void)MixturePredictive({a}).interval(1); }), StartsWith("level: "));
}

}  // namespace
}  // namespace mbll
