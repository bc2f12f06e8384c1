#include "mbll/bayes/mixture_width.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "mbll/bayes/mixture.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

constexpr Index kPoints = 20000;

/// Members whose errors have variance 1 and correlation rho with each other, each claiming variance 1; the
/// truth is 0.
HeldOutMixture correlated_members(Index count, double rho, std::uint64_t seed, double claimed = 1) {
  Rng rng = make_rng(seed);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return Matrix(Matrix::NullaryExpr(1, kPoints, [&] { return normal(rng); })); };
  const Matrix common = draw();
  HeldOutMixture mixture{{}, Matrix::Zero(1, kPoints)};
  for (Index m = 0; m < count; ++m)
    mixture.members.emplace_back(std::sqrt(rho) * common + std::sqrt(1 - rho) * draw(),
                                 Vector::Constant(kPoints, 0.7 * claimed),
                                 Vector::Constant(kPoints, 0.3 * claimed), Matrix::Identity(1, 1),
                                 std::numeric_limits<double>::infinity());
  return mixture;
}

TEST(MixtureWidth, OneMemberIsScaledToItsOwnError) {
  // The maximum is the mean square of the standardised errors.
  const HeldOutMixture mixture = correlated_members(1, 0.5, 1, 4.0);
  const double expected = mixture.members[0].mean().squaredNorm() / (4.0 * kPoints);
  EXPECT_NEAR(best_covariance_factor({mixture}), expected, 1e-4 * expected);
}

TEST(MixtureWidth, MembersThatAgreeNeedNoCorrection) {
  // s.e. of a mean square over 20000 points: √(2/20000) = 0.01; four of them.
  EXPECT_NEAR(best_covariance_factor({correlated_members(2, 1.0, 2)}), 1, 0.04);
}

TEST(MixtureWidth, PairsGiveTheFactorToFirstOrderInTheDisagreement) {
  // Total variance c + (1 − ρ)/2 against an error of (1 + ρ)/2: c = ρ, up to the mixture's not being
  // Gaussian.
  EXPECT_NEAR(best_covariance_factor({correlated_members(2, 0.9, 3)}), 0.9, 0.04);
}

TEST(MixtureWidth, ExtrapolationFollowsTheVariancesToFirstOrder) {
  EXPECT_DOUBLE_EQ(extrapolated_covariance_factor(1, 10), 1);
  const double disagreement = 1e-4;
  EXPECT_NEAR(extrapolated_covariance_factor(1 - disagreement, 10), 1 - 2 * 0.9 * disagreement, 1e-7);
  EXPECT_NEAR(extrapolated_covariance_factor(1 - disagreement, 2), 1 - disagreement, 1e-7);
  // Members that are too narrow by themselves.
  EXPECT_DOUBLE_EQ(extrapolated_covariance_factor(1.7, 10), 1.7);
  EXPECT_THROW((void)extrapolated_covariance_factor(0.0, 3), InvalidArgument);
  EXPECT_THROW((void)extrapolated_covariance_factor(0.5, 1), InvalidArgument);
}

TEST(MixtureWidth, ExtrapolatedFactorIsNearTheBestOfAllMembers) {
  for (const double rho : {0.95, 0.9, 0.8, 0.7, 0.6, 0.5}) {
    const double pair = best_covariance_factor({correlated_members(2, rho, 4)});
    const double all = best_covariance_factor({correlated_members(10, rho, 5)});
    EXPECT_LT(all, pair - 0.01) << rho;  // leaving it at the pair's would be too wide
    EXPECT_NEAR(std::sqrt(extrapolated_covariance_factor(pair, 10)), std::sqrt(all), 0.06) << rho;
  }
}

TEST(MixtureWidth, CalibratesTheMixtureOfAllMembers) {
  // A share of one half estimated from 20000 points: s.e. 0.0035.
  const double pair = best_covariance_factor({correlated_members(2, 0.8, 6)});
  const HeldOutMixture all = correlated_members(10, 0.8, 7);
  const auto coverage = [&](double factor) {
    std::vector<std::shared_ptr<const Predictive>> members;
    for (const SharedPredictive& member : all.members)
      members.push_back(std::make_shared<const SharedPredictive>(with_covariance_scaled(member, factor)));
    return (MixturePredictive(members).ellipsoid_level(all.Y).array() < 0.5).cast<double>().mean();
  };
  EXPECT_GT(coverage(1), 0.57);  // underconfident without the factor
  EXPECT_NEAR(coverage(extrapolated_covariance_factor(pair, 10)), 0.5, 0.02);
}

TEST(MixtureWidth, ScalesEveryPartOfAPredictiveAndNothingElse) {
  const Matrix S{{2.0, 0.5}, {0.5, 1.0}};
  const SharedPredictive narrow(Matrix{{1.0, 2.0}, {3.0, 4.0}}, Vector{{0.5, 1.5}}, Vector{{0.25, 0.75}}, S,
                                7);
  const SharedPredictive wide = with_covariance_scaled(narrow, 9);
  EXPECT_EQ(wide.mean(), narrow.mean());
  EXPECT_EQ(wide.dof(), narrow.dof());
  EXPECT_LT((wide.aleatoric_covariance(1) - 9 * narrow.aleatoric_covariance(1)).norm(), 1e-12);
  EXPECT_LT((wide.epistemic_covariance(1) - 9 * narrow.epistemic_covariance(1)).norm(), 1e-12);
}

TEST(MixtureWidth, UpdateOfAScaledPosteriorIsTheScaledUpdate) {
  const Matrix Phi{{1.0, 0.5, -1.0, 2.0}, {0.3, -0.7, 1.0, 0.0}};
  const Matrix Y{{1.0, 2.0, 0.5, -1.0}};
  const NormalPrior prior{Matrix::Zero(1, 2), Covariance::identity(1), Covariance::identity(2)};
  const auto statistics = [&](Index first, Index count) {
    Statistics data(2, 1);
    data.add(Phi.middleCols(first, count), Y.middleCols(first, count), Vector::Constant(count, 0.5));
    return data;
  };
  const Posterior half = condition(prior, statistics(0, 2));
  const Posterior a = condition(with_covariance_scaled(half, 0.6), statistics(2, 2));
  const Posterior b = with_covariance_scaled(condition(half, statistics(2, 2)), 0.6);
  EXPECT_LT((a.mean() - b.mean()).norm(), 1e-12);
  EXPECT_NEAR(a.noise_covariance()(0, 0), 0.6, 1e-12);
  const Vector point{{0.4, 0.9}};
  EXPECT_NEAR(a.predict(point, Vector::Ones(1)).total_variance()(0, 0),
              b.predict(point, Vector::Ones(1)).total_variance()(0, 0), 1e-12);
}

TEST(MixtureWidth, RefusesNothing) {
  EXPECT_THROW((void)best_covariance_factor({}), InvalidArgument);
  EXPECT_THROW((void)best_covariance_factor({HeldOutMixture{{}, Matrix::Zero(1, 3)}}), InvalidArgument);
}

}  // namespace
}  // namespace mbll
