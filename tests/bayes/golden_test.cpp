#include "support/golden.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mbll/bayes/posterior.hpp"
#include "mbll/bayes/unrelated.hpp"
#include "mbll/bayes/variational.hpp"

namespace mbll {
namespace {

using golden::Case;
using golden::to_matrix;
using golden::to_vector;

Statistics statistics_of(const Case& c) {
  Statistics data(c.matrix("Phi").rows(), c.matrix("Y").rows());
  data.add(c.matrix("Phi"), c.matrix("Y"), c.vector("sigma"));
  return data;
}

Posterior normal_posterior(const Case& c) {
  return condition(NormalPrior{c.matrix("M"), Covariance::from_matrix(c.matrix("V"), "V"),
                               Covariance::from_matrix(c.matrix("K"), "K")},
                   statistics_of(c));
}

Posterior t_posterior(const Case& c) {
  return condition(WishartPrior{c.matrix("M"), Covariance::from_matrix(c.matrix("K"), "K"),
                                Covariance::from_matrix(c.matrix("Psi"), "Psi"), c.number("nu")},
                   statistics_of(c));
}

void expect_parts(const Predictive& predictive, const nlohmann::json& expected, double tolerance) {
  for (Index l = 0; l < predictive.points(); ++l) {
    const auto at = static_cast<std::size_t>(l);
    EXPECT_GOLDEN(predictive.aleatoric_covariance(l), to_matrix(expected.at("aleatoric").at(at)), tolerance);
    EXPECT_GOLDEN(predictive.epistemic_covariance(l), to_matrix(expected.at("epistemic").at(at)), tolerance);
  }
}

class Golden : public testing::TestWithParam<Case> {};
class GoldenFull : public testing::TestWithParam<Case> {};

TEST_P(Golden, EvidenceAndPredictionWithVKnown) {
  const Case& c = GetParam();
  const nlohmann::json& expected = c.expected.at("normal");
  const Posterior posterior = normal_posterior(c);
  EXPECT_GOLDEN_NUMBER(posterior.log_evidence(), expected.at("log_evidence").get<double>(), c.tolerance());
  const SharedPredictive predictive = posterior.predict(c.matrix("Phi_new"), c.vector("sigma_new"));
  EXPECT_GOLDEN(predictive.mean(), to_matrix(expected.at("predictive_mean")), c.tolerance());
  if (c.stiff())
    EXPECT_GOLDEN(predictive.epistemic_factor(), to_vector(expected.at("epistemic_scale")), c.tolerance());
}

TEST_P(GoldenFull, PosteriorWithVKnown) {
  const Case& c = GetParam();
  const nlohmann::json& expected = c.expected.at("normal");
  const Posterior posterior = normal_posterior(c);
  EXPECT_GOLDEN(posterior.mean(), to_matrix(expected.at("posterior_mean")), c.tolerance());
  EXPECT_GOLDEN(posterior.column_covariance().matrix(), to_matrix(expected.at("posterior_column_covariance")),
                c.tolerance());
  const SharedPredictive predictive = posterior.predict(c.matrix("Phi_new"), c.vector("sigma_new"));
  expect_parts(predictive, expected, c.tolerance());
  EXPECT_GOLDEN(predictive.log_density(c.matrix("Y_new")), to_vector(expected.at("log_predictive_each")),
                c.tolerance());
  EXPECT_GOLDEN_NUMBER(
      posterior.log_density_joint(c.matrix("Phi_new"), c.vector("sigma_new"), c.matrix("Y_new")),
      expected.at("log_predictive_joint").get<double>(), c.tolerance());
  const Vector prior_factor = epistemic_factor(Covariance::from_matrix(c.matrix("K")), c.matrix("Phi_new"));
  for (Index l = 0; l < predictive.points(); ++l)
    EXPECT_GOLDEN(prior_factor(l) * c.matrix("V"),
                  to_matrix(expected.at("prior_epistemic").at(static_cast<std::size_t>(l))), c.tolerance());
}

TEST_P(GoldenFull, PosteriorWithVUnknown) {
  const Case& c = GetParam();
  const nlohmann::json& expected = c.expected.at("t");
  const Posterior posterior = t_posterior(c);
  EXPECT_GOLDEN_NUMBER(posterior.log_evidence(), expected.at("log_evidence").get<double>(), c.tolerance());
  EXPECT_GOLDEN(posterior.row_scale().matrix(), to_matrix(expected.at("posterior_scale")), c.tolerance());
  EXPECT_EQ(posterior.nu(), expected.at("posterior_dof").get<double>());
  const SharedPredictive predictive = posterior.predict(c.matrix("Phi_new"), c.vector("sigma_new"));
  expect_parts(predictive, expected, c.tolerance());
  EXPECT_GOLDEN(predictive.log_density(c.matrix("Y_new")), to_vector(expected.at("log_predictive_each")),
                c.tolerance());
  EXPECT_GOLDEN_NUMBER(
      posterior.log_density_joint(c.matrix("Phi_new"), c.vector("sigma_new"), c.matrix("Y_new")),
      expected.at("log_predictive_joint").get<double>(), c.tolerance());
}

UnrelatedPrior unrelated_prior(const Case& c) {
  return {c.matrix("M"), Covariance::from_matrix(c.matrix("U"), "U"),
          Covariance::from_matrix(c.matrix("V"), "V"), Covariance::from_matrix(c.matrix("K"), "K")};
}

TEST_P(GoldenFull, UnrelatedCovariances) {
  const Case& c = GetParam();
  const nlohmann::json& expected = c.expected.at("unrelated");
  const UnrelatedPosterior posterior(unrelated_prior(c), statistics_of(c));
  EXPECT_GOLDEN_NUMBER(posterior.log_evidence(), expected.at("log_evidence").get<double>(), c.tolerance());
  EXPECT_GOLDEN(posterior.mean(), to_matrix(expected.at("posterior_mean")), c.tolerance());
  if (expected.contains("posterior_covariance"))
    EXPECT_GOLDEN(posterior.covariance(), to_matrix(expected.at("posterior_covariance")), c.tolerance());
  const UnrelatedPredictive predictive = posterior.predict(c.matrix("Phi_new"), c.vector("sigma_new"));
  EXPECT_GOLDEN(predictive.mean(), to_matrix(expected.at("predictive_mean")), c.tolerance());
  for (Index l = 0; l < predictive.points(); ++l)
    EXPECT_GOLDEN(predictive.epistemic_covariance(l),
                  to_matrix(expected.at("epistemic").at(static_cast<std::size_t>(l))), c.tolerance());
}

TEST_P(GoldenFull, VariationalPosterior) {
  const Case& c = GetParam();
  const nlohmann::json& expected = c.expected.at("elbo");
  const MatrixNormal q(to_matrix(expected.at("q_mean")),
                       Covariance::from_matrix(to_matrix(expected.at("q_row"))),
                       Covariance::from_matrix(to_matrix(expected.at("q_column"))));
  const UnrelatedPrior prior = unrelated_prior(c);
  EXPECT_GOLDEN_NUMBER(kl_divergence(q, MatrixNormal(prior.M, prior.V, prior.K)),
                       expected.at("kl").get<double>(), c.tolerance());
  EXPECT_GOLDEN_NUMBER(expected_log_likelihood(q, prior.U, statistics_of(c)),
                       expected.at("expected_log_likelihood").get<double>(), c.tolerance());
  EXPECT_GOLDEN_NUMBER(elbo(q, prior, statistics_of(c)), expected.at("elbo").get<double>(), c.tolerance());
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(golden::load_all()), golden::case_name);
INSTANTIATE_TEST_SUITE_P(All, GoldenFull, testing::ValuesIn(golden::load_full()), golden::case_name);

}  // namespace
}  // namespace mbll
