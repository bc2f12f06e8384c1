#include "mbll/em/conditional.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "em/random_problem.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

using test::RandomProblem;

struct Halves {
  RandomProblem problem;
  Statistics train, held;

  Halves(Index p, Index d, Index N, Index N_held, std::uint64_t seed)
      : problem(RandomProblem::make(p, d, N, seed)), train(d, p), held(d, p) {
    const Index first = N - N_held;
    train.add(problem.Phi.leftCols(first), problem.Y.leftCols(first), problem.sigma.head(first));
    held.add(problem.Phi.rightCols(N_held), problem.Y.rightCols(N_held), problem.sigma.tail(N_held));
  }
};

TEST(ConditionalEvidence, IsTheChainRule) {
  const Halves h(3, 5, 29, 8, 4);
  EXPECT_NEAR(log_conditional_evidence(h.problem.normal, h.train, h.held),
              condition(h.problem.normal, h.problem.data).log_evidence() -
                  condition(h.problem.normal, h.train).log_evidence(),
              1e-9);
}

TEST(FitConditional, FindsAMaximumForEveryStructure) {
  const Halves h(2, 6, 80, 30, 9);
  for (const auto column : {ColumnStructure::isotropic, ColumnStructure::blocks, ColumnStructure::diagonal}) {
    ConditionalOptions options;
    options.column = column;
    if (column == ColumnStructure::blocks) options.blocks = {2, 4};
    const ConditionalResult result = fit_conditional(h.problem.normal, h.train, h.held, options);
    EXPECT_TRUE(result.converged) << name_of(column) << " after " << result.iterations;
    // The value is that of the plain definition at the same parameters …
    const auto value = [&](const Vector& K, double sigma) {
      return log_conditional_evidence({h.problem.normal.M, h.problem.normal.V, Covariance::diagonal(K)},
                                      h.train.with_noise_scaled(sigma), h.held.with_noise_scaled(sigma));
    };
    const Vector K = result.prior.K.diagonal();
    EXPECT_NEAR(result.log_evidence, value(K, result.noise_scale), 1e-8 * std::abs(result.log_evidence));
    // … and any neighbour of the same structure is lower.
    for (const double step : {-0.1, 0.1}) {
      EXPECT_LT(value(K, result.noise_scale * std::exp(step)), result.log_evidence);
      EXPECT_LT(value(K * std::exp(step), result.noise_scale), result.log_evidence + 1e-6);
    }
    for (std::size_t i = 1; i < result.trace.size(); ++i) EXPECT_GE(result.trace[i], result.trace[i - 1]);
    EXPECT_EQ(result.posterior.samples(), 80);
  }
}

TEST(FitConditional, EstimatesTheCovarianceOfTheOutputs) {
  const Halves h(3, 4, 90, 40, 2);
  ConditionalOptions options;
  options.estimate_row_covariance = true;
  const ConditionalResult result = fit_conditional(h.problem.normal, h.train, h.held, options);
  EXPECT_EQ(result.noise_scale, 1);
  const double best = log_conditional_evidence(result.prior, h.train, h.held);
  EXPECT_NEAR(best, result.log_evidence, 1e-8 * std::abs(best));
  // Any other V is worse: V → (I + E)V(I + E)ᵀ for single entries of E, both signs.
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      for (const double step : {-0.05, 0.05}) {
        Matrix change = Matrix::Identity(3, 3);
        change(i, j) += step;
        NormalPrior other = result.prior;
        other.V = Covariance::from_matrix(change * result.prior.V.matrix() * change.transpose(), "V");
        EXPECT_LT(log_conditional_evidence(other, h.train, h.held), best);
      }
}

TEST(FitConditional, RefusesBadInput) {
  const Halves h(3, 4, 30, 2, 2);
  const auto message = [&](const Statistics& held, ConditionalOptions options) -> std::string {
    try {
      (void)fit_conditional(h.problem.normal, h.train, held, options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "no error";
  };
  ConditionalOptions full;
  full.column = ColumnStructure::full;
  EXPECT_THAT(message(h.held, full), testing::StartsWith("column"));
  EXPECT_THAT(message(Statistics(4, 3), {}), testing::StartsWith("held: has no samples"));
  EXPECT_THAT(message(Statistics(5, 3), {}), testing::StartsWith("held: has 5 features"));
  ConditionalOptions rows;
  rows.estimate_row_covariance = true;
  EXPECT_THAT(message(h.held, rows), testing::HasSubstr("more than the 3 outputs"));
}

}  // namespace
}  // namespace mbll
