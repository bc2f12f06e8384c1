#include "mbll/bayes/variational.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "mbll/bayes/posterior.hpp"
#include "support/golden.hpp"
#include "support/problem.hpp"

namespace mbll {
namespace {

using golden::relative_error;
using test::all_sizes;
using test::make_problem;
using test::message_of;
using test::Problem;

TEST(Variational, ElboIsBelowTheEvidenceAndRisesWithEveryUpdate) {
  for (const test::Sizes& size : all_sizes()) {
    const Problem problem = make_problem(size, 106);
    const UnrelatedPrior prior = problem.unrelated_prior();
    const Statistics data = problem.statistics();
    const double evidence = UnrelatedPosterior(prior, data).log_evidence();
    MatrixNormal q(prior.M, prior.V, prior.K);
    double bound = elbo(q, prior, data);
    const auto improve = [&](MatrixNormal next) {
      const double value = elbo(next, prior, data);
      EXPECT_GE(value, bound - 1e-10 * (1 + std::abs(bound)));
      EXPECT_LE(value, evidence + 1e-10 * (1 + std::abs(evidence)));
      q = std::move(next);
      bound = value;
    };
    improve(MatrixNormal(optimal_mean(prior, data), q.rows(), q.columns()));
    for (int step = 0; step < 3; ++step) {
      improve(MatrixNormal(q.mean(), q.rows(), optimal_columns(q.rows(), prior, data)));
      improve(MatrixNormal(q.mean(), optimal_rows(q.columns(), prior, data), q.columns()));
    }
    const VariationalResult fitted = fit_variational(prior, data);
    EXPECT_TRUE(fitted.converged);
    EXPECT_GE(fitted.elbo, bound - 1e-9);
    EXPECT_LE(fitted.elbo, evidence + 1e-10 * (1 + std::abs(evidence)));
  }
}

TEST(Variational, UpdatesSolveTheirEquations) {
  const Problem problem = make_problem({3, 5, 12, 4}, 107);
  const UnrelatedPrior prior = problem.unrelated_prior();
  const Statistics data = problem.statistics();
  const Matrix gram = data.feature_gram();
  const Matrix Ui = problem.U.inverse();
  const Matrix Vi = problem.V.inverse();
  const Matrix Ki = problem.K.inverse();
  const Matrix M = optimal_mean(prior, data);
  EXPECT_LE(relative_error(Ui * M * gram + Vi * M * Ki, Ui * data.cross_gram() + Vi * problem.M * Ki), 1e-10);
  Rng rng = make_rng(108);
  const Matrix q_rows = test::random_spd(3, rng);
  const Matrix columns = 3 * ((Ui * q_rows).trace() * gram + (Vi * q_rows).trace() * Ki).inverse();
  EXPECT_LE(relative_error(optimal_columns(Covariance::from_matrix(q_rows), prior, data).matrix(), columns),
            1e-11);
  const Matrix rows = 5 * ((gram * columns).trace() * Ui + (Ki * columns).trace() * Vi).inverse();
  EXPECT_LE(relative_error(optimal_rows(Covariance::from_matrix(columns), prior, data).matrix(), rows),
            1e-11);
}

TEST(Variational, IsExactWhereUIsV) {
  Problem problem = make_problem({2, 4, 9, 3}, 109);
  problem.U = problem.V;
  const UnrelatedPrior prior = problem.unrelated_prior();
  const Statistics data = problem.statistics();
  const Posterior exact = condition(problem.normal_prior(), data);
  EXPECT_LE(relative_error(optimal_mean(prior, data), exact.mean()), 1e-11);
  EXPECT_LE(
      relative_error(optimal_columns(prior.V, prior, data).matrix(), exact.column_covariance().matrix()),
      1e-11);
  EXPECT_NEAR(fit_variational(prior, data).elbo, exact.log_evidence(), 1e-9);
}

TEST(Variational, BadInputNamesTheArgument) {
  using testing::StartsWith;
  const Problem problem = make_problem({2, 4, 9, 3}, 114);
  const UnrelatedPrior prior = problem.unrelated_prior();
  EXPECT_THAT(message_of([&] {
                (void)fit_variational(prior, problem.statistics(), {0, 10});
              }),
              StartsWith("tolerance: "));
}

}  // namespace
}  // namespace mbll
