#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "mbll/bayes/conditional.hpp"
#include "mbll/bayes/least_squares.hpp"
#include "mbll/bayes/mixture.hpp"
#include "mbll/bayes/posterior.hpp"
#include "mbll/bayes/unrelated.hpp"
#include "mbll/bayes/variational.hpp"
#include "support/problem.hpp"

// Valid but nasty problems: nothing may throw and nothing may become NaN.
namespace mbll {
namespace {

using test::Problem;

double power_of_ten(Rng& rng, double limit) {
  return std::pow(10, std::uniform_real_distribution<double>(-limit, limit)(rng));
}

/// Rows and columns in units between 1e-6 and 1e6, so that entries lie between 1e-12 and 1e12.
Matrix nasty_covariance(Index n, Rng& rng) {
  const Vector units = Vector::NullaryExpr(n, [&] { return power_of_ten(rng, 6); });
  const Matrix S = test::random_spd(n, rng);
  return units.asDiagonal() * S * units.asDiagonal();
}

Problem nasty_problem() {
  const auto p = *rc::gen::inRange<Index>(1, 4).as("outputs");
  const auto d = *rc::gen::inRange<Index>(1, 8).as("features");
  const auto N = *rc::gen::inRange<Index>(0, 10 * d + 1).as("samples");
  const auto seed = *rc::gen::arbitrary<std::uint64_t>().as("seed");
  Problem problem = test::make_problem({p, d, N, 3}, seed);
  Rng rng = make_rng(seed, 1);
  problem.V = nasty_covariance(p, rng);
  problem.U = nasty_covariance(p, rng);
  problem.K = nasty_covariance(d, rng);
  problem.Psi = nasty_covariance(p, rng);
  problem.nu = 2 * static_cast<double>(p) + *rc::gen::element(1e-3, 1.0, 2.0, 5.0, 1e6).as("nu - 2p");
  const auto spread_noise = *rc::gen::arbitrary<bool>().as("different sigmas");
  const double sigma = power_of_ten(rng, 8);
  for (double& value : problem.sigma) value = spread_noise ? power_of_ten(rng, 8) : sigma;
  for (double& value : problem.sigma_new) value = power_of_ten(rng, 8);
  if (*rc::gen::arbitrary<bool>().as("rank-deficient features") && d > 1)
    problem.Phi.row(d - 1) = 3 * problem.Phi.row(0);
  if (*rc::gen::arbitrary<bool>().as("a zero feature")) problem.Phi.row(0).setZero();
  if (*rc::gen::arbitrary<bool>().as("duplicated samples") && N > 1) {
    problem.Phi.rightCols(N / 2).colwise() = problem.Phi.col(0).eval();
    problem.Y.rightCols(N / 2).colwise() = problem.Y.col(0).eval();
  }
  if (*rc::gen::arbitrary<bool>().as("zero samples") && N > 0) {
    problem.Phi.leftCols((N + 1) / 2).setZero();
    problem.Y.leftCols((N + 1) / 2).setZero();
  }
  if (*rc::gen::arbitrary<bool>().as("features in other units"))
    for (Index i = 0; i < d; ++i) problem.Phi.row(i) *= power_of_ten(rng, 6);
  return problem;
}

void require_sound(const Predictive& predictive, const Matrix& Y) {
  RC_ASSERT(predictive.mean().allFinite());
  RC_ASSERT(!predictive.total_variance().hasNaN());
  RC_ASSERT((predictive.epistemic_variance().array() >= 0).all());
  RC_ASSERT((predictive.aleatoric_variance().array() > 0).all());
  RC_ASSERT(!predictive.log_density(Y).hasNaN());
  RC_ASSERT(!predictive.marginal_log_density(Y).hasNaN());
  const Interval interval = predictive.interval(0.95);
  RC_ASSERT(
      (interval.upper.array() >= interval.lower.array()).all());  // infinite with very few degrees of freedom
  RC_ASSERT(!predictive.crps(Y).hasNaN());
  const Vector level = predictive.ellipsoid_level(Y);
  RC_ASSERT(level.minCoeff() >= 0);
  RC_ASSERT(level.maxCoeff() <= 1);
}

void require_sound(const Posterior& posterior, const Problem& problem) {
  RC_ASSERT(std::isfinite(posterior.log_evidence()));
  RC_ASSERT(posterior.mean().allFinite());
  RC_ASSERT(posterior.column_covariance().factor().allFinite());
  RC_ASSERT(posterior.residual_scatter().allFinite());
  // Data never widen: C ≤ K. Where data are 1e20 times stronger than the prior in one direction and silent in
  // another, the rounding errors of the one are visible in the other, hence the slack.
  const Vector prior = problem.K.diagonal();
  RC_ASSERT((posterior.column_covariance().diagonal().array() <= 1.1 * prior.array()).all());
  require_sound(posterior.predict(problem.Phi_new, problem.sigma_new), problem.Y_new);
  RC_ASSERT(!std::isnan(posterior.log_density_joint(problem.Phi_new, problem.sigma_new, problem.Y_new)));
}

class Adversarial : public testing::Test {
 protected:
  // The same problems in every run, unless RC_PARAMS says otherwise.
  static void SetUpTestSuite() { setenv("RC_PARAMS", "seed=2024 max_success=400", 0); }
};

TEST_F(Adversarial, Posteriors) {
  EXPECT_TRUE(rc::check("valid input never throws and never gives NaN", [] {
    const Problem problem = nasty_problem();
    const Statistics data = problem.statistics();
    const Posterior normal = condition(problem.normal_prior(), data);
    const Posterior t = condition(problem.wishart_prior(), data);
    require_sound(normal, problem);
    require_sound(t, problem);
    require_sound(condition(normal, data), problem);
    require_sound(condition(t, data), problem);
    require_sound(MixturePredictive(
                      {std::make_shared<SharedPredictive>(normal.predict(problem.Phi_new, problem.sigma_new)),
                       std::make_shared<SharedPredictive>(t.predict(problem.Phi_new, problem.sigma_new))}),
                  problem.Y_new);
  }));
}

TEST_F(Adversarial, OtherModels) {
  EXPECT_TRUE(rc::check("valid input never throws and never gives NaN", [] {
    const Problem problem = nasty_problem();
    const Statistics data = problem.statistics();
    const UnrelatedPosterior unrelated(problem.unrelated_prior(), data);
    RC_ASSERT(std::isfinite(unrelated.log_evidence()));
    RC_ASSERT(unrelated.mean().allFinite());
    require_sound(unrelated.predict(problem.Phi_new, problem.sigma_new), problem.Y_new);
    RC_ASSERT(std::isfinite(fit_variational(problem.unrelated_prior(), data, {1e-6, 20}).elbo));
    require_sound(
        predict_given_weights(problem.wishart_prior(), data, problem.M, problem.Phi_new, problem.sigma_new),
        problem.Y_new);
    const LeastSquares fit = least_squares(data);
    RC_ASSERT(fit.weights.allFinite());
    RC_ASSERT(fit.variance_factor(problem.Phi_new).allFinite());
  }));
}

}  // namespace
}  // namespace mbll
