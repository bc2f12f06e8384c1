#include "mbll/bayes/unrelated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mbll/bayes/posterior.hpp"
#include "support/dense_reference.hpp"
#include "support/golden.hpp"
#include "support/moments.hpp"
#include "support/problem.hpp"

namespace mbll {
namespace {

using golden::relative_error;
using test::all_sizes;
using test::make_problem;
using test::message_of;
using test::Problem;

TEST(Unrelated, MatchesTheDenseReference) {
  for (const test::Sizes& size : all_sizes()) {
    const Problem problem = make_problem(size, 101);
    const UnrelatedPosterior posterior(problem.unrelated_prior(), problem.statistics());
    const dense::Model model = problem.dense_unrelated();
    const dense::Model::Posterior expected = model.posterior(problem.Phi, problem.Y, problem.sigma);
    EXPECT_LE(relative_error(posterior.mean().reshaped(), expected.mean), 1e-10);
    EXPECT_LE(relative_error(posterior.covariance(), expected.covariance), 1e-10);
    EXPECT_NEAR(posterior.log_evidence(), model.log_evidence(problem.Phi, problem.Y, problem.sigma), 1e-9);
    const UnrelatedPredictive predictive = posterior.predict(problem.Phi_new, problem.sigma_new);
    const Vector log_density = predictive.log_density(problem.Y_new);
    for (Index l = 0; l < size.L; ++l) {
      const Matrix H = model.design(problem.Phi_new.col(l));
      const Matrix epistemic = H * expected.covariance * H.transpose();
      const Matrix aleatoric = std::pow(problem.sigma_new(l), 2) * problem.U;
      EXPECT_LE(relative_error(predictive.mean().col(l), H * expected.mean), 1e-10);
      EXPECT_LE(relative_error(predictive.epistemic_covariance(l), epistemic), 1e-10);
      EXPECT_LE(relative_error(predictive.aleatoric_covariance(l), aleatoric), 1e-12);
      EXPECT_LE(relative_error(predictive.total_factored(l).matrix(), epistemic + aleatoric), 1e-10);
      EXPECT_LE(relative_error(predictive.total_variance().col(l), (epistemic + aleatoric).diagonal()),
                1e-10);
      EXPECT_NEAR(log_density(l),
                  dense::log_normal(problem.Y_new.col(l), H * expected.mean, epistemic + aleatoric), 1e-9);
    }
  }
}

TEST(Unrelated, CollapsesToTheSharedModelWhereUIsV) {
  Problem problem = make_problem({3, 5, 12, 4}, 102);
  problem.U = problem.V;
  const UnrelatedPosterior unrelated(problem.unrelated_prior(), problem.statistics());
  const Posterior shared = condition(problem.normal_prior(), problem.statistics());
  EXPECT_NEAR(unrelated.log_evidence(), shared.log_evidence(), 1e-10);
  EXPECT_LE(relative_error(unrelated.mean(), shared.mean()), 1e-11);
  const UnrelatedPredictive a = unrelated.predict(problem.Phi_new, problem.sigma_new);
  const SharedPredictive b = shared.predict(problem.Phi_new, problem.sigma_new);
  // one class against the other, quantity by quantity
  EXPECT_LE(relative_error(a.log_density(problem.Y_new), b.log_density(problem.Y_new)), 1e-11);
  EXPECT_LE(relative_error(a.marginal_log_density(problem.Y_new), b.marginal_log_density(problem.Y_new)),
            1e-11);
  EXPECT_LE(relative_error(a.cdf(problem.Y_new), b.cdf(problem.Y_new)), 1e-11);
  EXPECT_LE(relative_error(a.crps(problem.Y_new), b.crps(problem.Y_new)), 1e-11);
  EXPECT_LE(relative_error(a.ellipsoid_level(problem.Y_new), b.ellipsoid_level(problem.Y_new)), 1e-11);
  EXPECT_LE(relative_error(a.interval(0.9).lower, b.interval(0.9).lower), 1e-11);
  EXPECT_LE(relative_error(a.epistemic_variance(), b.epistemic_variance()), 1e-11);
  EXPECT_LE(relative_error(a.aleatoric_variance(), b.aleatoric_variance()), 1e-11);
  const Vector scale{{2.0, 0.3, 1.5}};
  EXPECT_LE(relative_error(a.rescaled(scale, scale)->cdf(problem.Y_new),
                           b.rescaled(scale, scale)->cdf(problem.Y_new)),
            1e-11);
}

TEST(Unrelated, RotatedMomentsRebuildTheCovariances) {
  const Problem problem = make_problem({3, 5, 12, 4}, 103);
  const UnrelatedPosterior posterior(problem.unrelated_prior(), problem.statistics());
  const RotatedMoments& r = posterior.rotated();
  EXPECT_LE(relative_error(r.W.transpose() * problem.U * r.W, Matrix::Identity(3, 3)), 1e-12);
  EXPECT_LE(relative_error(r.W.transpose() * problem.V * r.W, r.lambda.asDiagonal()), 1e-12);
  EXPECT_LE(relative_error(r.column_basis * r.column_basis.transpose(), problem.K), 1e-12);
  const Matrix gram =
      problem.Phi * problem.sigma.cwiseAbs2().cwiseInverse().asDiagonal() * problem.Phi.transpose();
  EXPECT_LE(relative_error(r.column_basis.transpose() * gram * r.column_basis, r.mu.asDiagonal()), 1e-11);
}

TEST(Unrelated, DrawsHaveTheMoments) {
  const Problem problem = make_problem({2, 5, 4, 3}, 104);
  const UnrelatedPredictive predictive = UnrelatedPosterior(problem.unrelated_prior(), problem.statistics())
                                             .predict(problem.Phi_new, problem.sigma_new);
  Rng rng = make_rng(105);
  const std::vector<Matrix> draws = predictive.sample(20000, rng);
  test::expect_mean(draws, predictive.mean());
  Matrix covariance = Matrix::Zero(6, 6);
  for (Index l = 0; l < 3; ++l) covariance.block(2 * l, 2 * l, 2, 2) = predictive.total_covariance(l);
  test::expect_covariance(draws, predictive.mean(), covariance);
}

TEST(Unrelated, BadInputNamesTheArgument) {
  using testing::StartsWith;
  const Problem problem = make_problem({2, 4, 9, 3}, 114);
  UnrelatedPrior prior = problem.unrelated_prior();
  prior.U = Covariance::identity(3);
  EXPECT_THAT(message_of([&] { UnrelatedPosterior(prior, problem.statistics()); }),
              StartsWith("U: is 3×3, expected 2×2"));
  prior = problem.unrelated_prior();
  EXPECT_THAT(message_of([&] { UnrelatedPosterior(prior, Statistics(4, 1)); }), StartsWith("data: "));
  const UnrelatedPosterior posterior(prior, problem.statistics());
  EXPECT_THAT(message_of([&] { (void)posterior.predict(problem.Phi_new.topRows(2), problem.sigma_new); }),
              StartsWith("Phi: "));
  EXPECT_THAT(message_of([&] { (void)posterior.predict(problem.Phi_new, Vector::Zero(3)); }),
              StartsWith("sigma: "));
}

}  // namespace
}  // namespace mbll
