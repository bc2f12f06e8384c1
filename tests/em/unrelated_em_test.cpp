#include "mbll/em/unrelated_em.hpp"

#include <gtest/gtest.h>

#include "em/random_problem.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

using test::RandomProblem;

UnrelatedPrior prior_of(const RandomProblem& problem, std::uint64_t seed) {
  Rng rng = make_rng(seed);
  return {problem.normal.M, Covariance::from_matrix(test::random_spd(problem.p, rng), "U"), problem.normal.V,
          problem.normal.K};
}

TEST(UnrelatedEm, NeverLowersTheEvidence) {
  for (const auto& [p, d, N] : {std::tuple<Index, Index, Index>{3, 5, 40}, {1, 4, 17}, {2, 7, 4}}) {
    const RandomProblem problem = RandomProblem::make(p, d, N, 31);
    for (const auto column : {ColumnStructure::full, ColumnStructure::diagonal, ColumnStructure::isotropic})
      for (const bool update_U : {false, true})
        for (const bool update_V : {false, true}) {
          UnrelatedEmOptions options;
          options.column = column;
          options.update_U = update_U;
          options.update_V = update_V;
          options.tolerance = 1e-9;
          options.max_steps = 60;
          const auto result = fit_em(prior_of(problem, 5), problem.data, options);
          for (std::size_t i = 1; i < result.trace.size(); ++i)
            ASSERT_GE(result.trace[i].log_evidence,
                      result.trace[i - 1].log_evidence - 1e-10 * std::abs(result.trace[i - 1].log_evidence));
          EXPECT_EQ(result.posterior.log_evidence(), result.trace.back().log_evidence);
        }
  }
}

TEST(UnrelatedEm, FixedPointIsAMaximum) {
  const RandomProblem problem = RandomProblem::make(2, 3, 200, 8);
  UnrelatedEmOptions options;
  options.update_V = false;
  options.tolerance = 1e-10;
  options.max_steps = 20000;
  const auto result = fit_em(prior_of(problem, 5), problem.data, options);
  EXPECT_TRUE(result.converged());
  const double best = result.posterior.log_evidence();
  const auto evidence = [&](const Matrix& U, double k) {
    UnrelatedPrior other = result.prior;
    other.U = Covariance::from_matrix(U, "U");
    other.K = other.K.scaled(k);
    return UnrelatedPosterior(other, problem.data).log_evidence();
  };
  const Matrix U = result.prior.U.matrix();
  for (const double step : {-0.03, 0.03}) {
    EXPECT_LT(evidence(U, 1 + step), best);
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < 2; ++j) {
        Matrix E = Matrix::Identity(2, 2);
        E(i, j) += step;
        EXPECT_LT(evidence(E * U * E.transpose(), 1), best);
      }
  }
}

TEST(UnrelatedEm, RefusesBlocks) {
  const RandomProblem problem = RandomProblem::make(2, 3, 20, 8);
  UnrelatedEmOptions options;
  options.column = ColumnStructure::blocks;
  EXPECT_THROW((void)fit_em(prior_of(problem, 5), problem.data, options), InvalidArgument);
}

}  // namespace
}  // namespace mbll
