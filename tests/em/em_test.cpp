#include "mbll/em/em.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "em/random_problem.hpp"
#include "mbll/error.hpp"
#include "support/message.hpp"

namespace mbll {
namespace {

using test::message_of;

using test::random_matrix;
using test::RandomProblem;

TEST(FitEm, UnregularisedJointSchemeCollapsesAsTheTheoremSays) {
  // K_n⁻¹ = K_0⁻¹ + n ΦD⁻¹Φᵀ exactly.
  const RandomProblem problem = RandomProblem::make(2, 5, 30, 4);
  EmOptions options;
  options.column = ColumnStructure::full;
  options.update_mean = true;
  options.unregularised_joint = true;
  options.accelerate = false;
  options.tolerance = 1e-300;
  const Matrix K0_inverse = problem.normal.K.precision();
  const Matrix gram = problem.data.feature_gram();
  for (const int n : {1, 2, 7, 50}) {
    options.max_steps = n;
    const Matrix expected = K0_inverse + n * gram;
    const Matrix found = fit_em(problem.normal, problem.data, options).prior.K.precision();
    EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm()) << n;
  }
}

TEST(FitEm, JointSchemeWithoutHyperpriorNeedsTheOptIn) {
  const RandomProblem problem = RandomProblem::make(2, 5, 30, 4);
  EmOptions options;
  options.update_mean = true;
  EXPECT_THAT(message_of([&] { (void)fit_em(problem.normal, problem.data, options); }),
              testing::AllOf(testing::StartsWith("update_mean"), testing::HasSubstr("hyperprior")));
}

TEST(FitEm, RefusesBadOptions) {
  const RandomProblem problem = RandomProblem::make(2, 5, 30, 4);
  const auto message = [&](auto change) {
    EmOptions options;
    change(options);
    return message_of([&] { (void)fit_em(problem.wishart, problem.data, options); });
  };
  EXPECT_THAT(message([](EmOptions& o) { o.tolerance = 0; }), testing::StartsWith("tolerance: is 0"));
  EXPECT_THAT(message([](EmOptions& o) { o.max_steps = 0; }), testing::StartsWith("max_steps: is 0"));
  EXPECT_THAT(message([](EmOptions& o) {
                o.column = ColumnStructure::blocks;
                o.blocks = {2, 2};
              }),
              testing::HasSubstr("sum to 4, expected 5"));
  EXPECT_THAT(message([](EmOptions& o) { o.hyperprior = Hyperprior::identity(4); }),
              testing::StartsWith("hyperprior.H: shape is 4×4, expected 5×5"));
  EXPECT_THAT(message([](EmOptions& o) {
                o.hyperprior = Hyperprior{-Matrix::Identity(5, 5), 1};
              }),
              testing::HasSubstr("eigenvalue"));
}

TEST(FitEm, RecoversTheScalesOfSimulatedData) {
  // A ~ MN(0, 1, k I), constant σ: with d = 400 coefficients ln k has a standard error of about √(2/400) =
  // 0.07, and ln σ² one of √(2/(N − d)) = 0.04; six standard errors each.
  Rng rng = make_rng(21);
  const Index d = 400;
  const Index N = 1600;
  const double k = 0.25;
  const double sigma = 1.7;
  const Matrix Phi = random_matrix(d, N, rng);
  const Matrix Y = std::sqrt(k) * random_matrix(1, d, rng) * Phi + sigma * random_matrix(1, N, rng);
  Statistics data(d, 1);
  data.add(Phi, Y);
  EmOptions options;
  options.update_noise = true;
  options.tolerance = 1e-8;
  const auto result = fit_em(
      NormalPrior{Matrix::Zero(1, d), Covariance::identity(1), Covariance::identity(d)}, data, options);
  EXPECT_TRUE(result.converged());
  EXPECT_NEAR(std::log(result.prior.K.diagonal()(0) / k), 0, 6 * 0.07);
  EXPECT_NEAR(2 * std::log(result.noise_scale / sigma), 0, 6 * 0.04);
  EXPECT_NEAR(result.posterior.log_evidence(), result.trace.back().log_evidence,
              1e-9 * std::abs(result.trace.back().log_evidence));
}

TEST(FitEm, AccelerationReachesTheSamePointInAThirdOfTheSteps) {
  // Much noise and nearly collinear features make plain EM slow.
  Rng rng = make_rng(5);
  const Matrix base = random_matrix(3, 200, rng);
  const Matrix Phi = random_matrix(12, 3, rng) * base + 0.05 * random_matrix(12, 200, rng);
  const Matrix Y = 0.1 * random_matrix(2, 12, rng) * Phi + 2 * random_matrix(2, 200, rng);
  Statistics data(12, 2);
  data.add(Phi, Y);
  for (const auto column : {ColumnStructure::isotropic, ColumnStructure::blocks, ColumnStructure::diagonal}) {
    EmOptions options;
    options.column = column;
    if (column == ColumnStructure::blocks) options.blocks = {5, 4, 3};
    options.update_noise = true;
    if (column == ColumnStructure::diagonal)
      options.hyperprior = Hyperprior{1e-3 * Matrix::Identity(12, 12), 1};
    options.tolerance = 1e-9;
    options.max_steps = 100000;
    const NormalPrior start{Matrix::Zero(2, 12), Covariance::identity(2), Covariance::identity(12)};
    const auto fast = fit_em(start, data, options);
    options.accelerate = false;
    const auto plain = fit_em(start, data, options);
    ASSERT_TRUE(fast.converged() && plain.converged());
    EXPECT_LE(3 * fast.steps, plain.steps) << name_of(column);
    // The slower plain scheme stops a little short of the same point.
    EXPECT_GE(fast.trace.back().objective(), plain.trace.back().objective() - 1e-8);
    EXPECT_NEAR(fast.trace.back().objective(), plain.trace.back().objective(), 1e-3);
  }
}

TEST(FitEm, StopsWhenTheCallbackSaysSo) {
  const RandomProblem problem = RandomProblem::make(2, 5, 30, 4);
  EmOptions options;
  options.tolerance = 1e-14;
  int calls = 0;
  options.progress = [&](const EmStep& step) {
    EXPECT_GE(step.evaluations, ++calls);
    return calls < 3;
  };
  EXPECT_EQ(fit_em(problem.normal, problem.data, options).end, EmEnd::stopped);
  EXPECT_EQ(calls, 3);
}

TEST(FitEm, ValidForNoSamplesAndForConstantTargets) {
  for (const Index N : {Index{0}, Index{1}, Index{9}}) {
    Rng rng = make_rng(2);
    Statistics data(4, 2);
    if (N > 0) data.add(random_matrix(4, N, rng), Matrix::Zero(2, N));
    for (const auto column : {ColumnStructure::full, ColumnStructure::diagonal, ColumnStructure::isotropic}) {
      EmOptions options;
      options.column = column;
      options.update_noise = true;
      const auto known = fit_em(
          NormalPrior{Matrix::Zero(2, 4), Covariance::identity(2), Covariance::identity(4)}, data, options);
      const auto unknown =
          fit_em(WishartPrior{Matrix::Zero(2, 4), Covariance::identity(4), Covariance::identity(2), 7}, data,
                 options);
      for (const Posterior* posterior : {&known.posterior, &unknown.posterior}) {
        EXPECT_TRUE(posterior->mean().allFinite());
        EXPECT_TRUE(posterior->column_covariance().matrix().allFinite());
        EXPECT_TRUE(std::isfinite(posterior->log_evidence()));
      }
      EXPECT_GT(known.noise_scale, 0);
    }
  }
}

TEST(Hyperprior, ScaleInvariantOneFollowsTheFeatures) {
  const RandomProblem problem = RandomProblem::make(2, 5, 30, 4);
  const Hyperprior hyperprior = Hyperprior::scale_invariant(problem.data, 1e-3);
  const Matrix expected = (1e-3 * Matrix::Identity(5, 5) + problem.data.feature_gram()).eval();
  EXPECT_LT((hyperprior.H * expected - Matrix::Identity(5, 5)).norm(), 1e-10);
}

}  // namespace
}  // namespace mbll
