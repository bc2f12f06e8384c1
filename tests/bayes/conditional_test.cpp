#include "mbll/bayes/conditional.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/golden.hpp"
#include "support/problem.hpp"

namespace mbll {
namespace {

using test::all_sizes;
using test::make_problem;
using test::message_of;
using test::Problem;

TEST(Conditional, GivenTheLastLayerObeysBayesRule) {
  for (const test::Sizes& size : all_sizes()) {
    const Problem problem = make_problem(size, 110);
    const WishartPrior prior = problem.wishart_prior();
    Rng rng = make_rng(111);
    const Matrix A = test::random_matrix(size.p, size.d, rng);
    const InverseWishart noise = noise_given_weights(prior, problem.statistics(), A);
    // p(V | Y, A) ∝ p(V) p(A | V) p(Y | A, V): the ratio at two V must be that of the right-hand side.
    const auto unnormalised = [&](const Matrix& V) {
      const Covariance rows = Covariance::from_matrix(V);
      const Covariance noise_columns = Covariance::from_factor(problem.sigma.asDiagonal());
      double sum = InverseWishart(prior.Psi, prior.nu).log_density(rows) +
                   MatrixNormal(prior.M, rows, prior.K).log_density(A);
      if (size.N > 0) sum += MatrixNormal(A * problem.Phi, rows, noise_columns).log_density(problem.Y);
      return sum;
    };
    EXPECT_NEAR(noise.log_density(Covariance::from_matrix(problem.V)) -
                    noise.log_density(Covariance::from_matrix(problem.U)),
                unnormalised(problem.V) - unnormalised(problem.U), 1e-8);
    // Prediction integrates V out: p(y*) = p(y* | V) p(V | …) / p(V | y*, …).
    const MatrixT joint =
        predict_joint_given_weights(prior, problem.statistics(), A, problem.Phi_new, problem.sigma_new);
    Statistics more = problem.statistics();
    more.add(problem.Phi_new, problem.Y_new, problem.sigma_new);
    const Covariance V = Covariance::from_matrix(problem.V);
    const MatrixNormal given_v(A * problem.Phi_new, V,
                               Covariance::from_factor(problem.sigma_new.asDiagonal()));
    EXPECT_NEAR(joint.log_density(problem.Y_new),
                given_v.log_density(problem.Y_new) + noise.log_density(V) -
                    noise_given_weights(prior, more, A).log_density(V),
                1e-8);
    const SharedPredictive each =
        predict_given_weights(prior, problem.statistics(), A, problem.Phi_new, problem.sigma_new);
    const MatrixT first = predict_joint_given_weights(prior, problem.statistics(), A,
                                                      problem.Phi_new.leftCols(1), problem.sigma_new.head(1));
    EXPECT_NEAR(each.log_density(problem.Y_new)(0), first.log_density(problem.Y_new.leftCols(1)), 1e-10);
    EXPECT_EQ(each.epistemic_factor(), Vector::Zero(size.L));
  }
}

TEST(Conditional, BadInputNamesTheArgument) {
  using testing::StartsWith;
  const Problem problem = make_problem({2, 4, 9, 3}, 114);
  EXPECT_THAT(message_of([&] {
                (void)noise_given_weights(problem.wishart_prior(), problem.statistics(), Matrix::Zero(2, 2));
              }),
              StartsWith("A: shape is 2×2, expected 2×4"));
}

}  // namespace
}  // namespace mbll
