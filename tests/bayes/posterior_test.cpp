#include "mbll/bayes/posterior.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/dense_reference.hpp"
#include "support/golden.hpp"
#include "support/problem.hpp"

namespace mbll {
namespace {

using golden::relative_error;
using test::all_sizes;
using test::make_problem;
using test::message_of;
using test::Problem;
using test::Sizes;

using test::infinity;

class EverySize : public testing::TestWithParam<Sizes> {
 protected:
  Problem problem = make_problem(GetParam(), 31);
};
INSTANTIATE_TEST_SUITE_P(Sizes, EverySize, testing::ValuesIn(all_sizes()), [](const auto& info) {
  const Sizes s = info.param;
  return "p" + std::to_string(s.p) + "d" + std::to_string(s.d) + "N" + std::to_string(s.N);
});

TEST_P(EverySize, KnownNoiseMatchesTheDenseReference) {
  const Posterior posterior = condition(problem.normal_prior(), problem.statistics());
  const dense::Model model = problem.dense_shared();
  const dense::Model::Posterior expected = model.posterior(problem.Phi, problem.Y, problem.sigma);
  EXPECT_LE(relative_error(posterior.mean().reshaped(), expected.mean), 1e-11);
  EXPECT_LE(relative_error(dense::kronecker(posterior.column_covariance().matrix(), problem.V),
                           expected.covariance),
            1e-11);
  EXPECT_NEAR(posterior.log_evidence(), model.log_evidence(problem.Phi, problem.Y, problem.sigma), 1e-10);
  EXPECT_EQ(posterior.samples(), problem.Y.cols());
  EXPECT_EQ(posterior.nu(), infinity);

  const SharedPredictive predictive = posterior.predict(problem.Phi_new, problem.sigma_new);
  for (Index l = 0; l < problem.Phi_new.cols(); ++l) {
    const Matrix H = model.design(problem.Phi_new.col(l));
    EXPECT_LE(relative_error(predictive.mean().col(l), H * expected.mean), 1e-11);
    EXPECT_LE(relative_error(predictive.epistemic_covariance(l), H * expected.covariance * H.transpose()),
              1e-10);
    EXPECT_LE(
        relative_error(predictive.aleatoric_covariance(l), std::pow(problem.sigma_new(l), 2) * problem.V),
        1e-13);
    EXPECT_NEAR(predictive.log_density(problem.Y_new)(l),
                dense::log_normal(problem.Y_new.col(l), H * expected.mean, predictive.total_covariance(l)),
                1e-10);
  }
}

// Bayes' rule for any V: p(Y) = p(Y | V) p(V) / p(V | Y), with p(Y | V) from the dense reference.
TEST_P(EverySize, UnknownNoiseObeysBayesRule) {
  const Posterior posterior = condition(problem.wishart_prior(), problem.statistics());
  const InverseWishart prior(Covariance::from_matrix(problem.Psi), problem.nu);
  for (const Matrix& V : {problem.V, problem.U}) {
    const dense::Model model{problem.M, V, V, problem.K};
    const Covariance noise = Covariance::from_matrix(V);
    EXPECT_NEAR(posterior.log_evidence(),
                model.log_evidence(problem.Phi, problem.Y, problem.sigma) + prior.log_density(noise) -
                    posterior.noise().log_density(noise),
                1e-9);
  }
  const Posterior known = condition(problem.normal_prior(), problem.statistics());
  EXPECT_EQ(posterior.mean(), known.mean());
  EXPECT_LE(relative_error(posterior.row_scale().matrix(), problem.Psi + known.residual_scatter()), 1e-12);
  EXPECT_EQ(posterior.nu(), problem.nu + static_cast<double>(problem.Y.cols()));
}

TEST_P(EverySize, JointPredictiveIsTheEvidenceOfNewSamples) {
  Statistics more(problem.M.cols(), problem.M.rows());
  more.add(problem.Phi_new, problem.Y_new, problem.sigma_new);
  for (const Posterior& posterior : {condition(problem.normal_prior(), problem.statistics()),
                                     condition(problem.wishart_prior(), problem.statistics())}) {
    EXPECT_NEAR(posterior.log_density_joint(problem.Phi_new, problem.sigma_new, problem.Y_new),
                condition(posterior, more).log_evidence(), 1e-10);
    for (Index l = 0; l < problem.Y_new.cols(); ++l)
      EXPECT_NEAR(posterior.log_density_joint(problem.Phi_new.col(l), problem.sigma_new.segment(l, 1),
                                              problem.Y_new.col(l)),
                  posterior.predict(problem.Phi_new, problem.sigma_new).log_density(problem.Y_new)(l), 1e-11);
  }
}

TEST_P(EverySize, ChainRuleOverBatchesInAnyOrder) {
  const Index N = problem.Y.cols();
  const Index cut = N / 3;
  const std::vector<std::pair<Index, Index>> batches = {{0, cut}, {cut, N - cut}};
  for (const bool reversed : {false, true}) {
    const auto [a, b] = reversed ? std::pair{batches[1], batches[0]} : std::pair{batches[0], batches[1]};
    const auto check_chain = [&](const auto& prior) {
      const Posterior once = condition(prior, problem.statistics());
      const Posterior first = condition(prior, problem.statistics(a.first, a.second));
      const Posterior second = condition(first, problem.statistics(b.first, b.second));
      EXPECT_NEAR(first.log_evidence() + second.log_evidence(), once.log_evidence(), 1e-10);
      EXPECT_LE(relative_error(second.mean(), once.mean()), 1e-11);
      EXPECT_LE(relative_error(second.column_covariance().matrix(), once.column_covariance().matrix()),
                1e-11);
      EXPECT_LE(relative_error(second.row_scale().matrix(), once.row_scale().matrix()), 1e-11);
      EXPECT_EQ(second.nu(), once.nu());
      EXPECT_EQ(second.samples(), N);
      if (a.second < N && b.second > 0) EXPECT_GT(relative_error(first.mean(), once.mean()), 1e-6);
    };
    check_chain(problem.normal_prior());
    check_chain(problem.wishart_prior());
  }
}

TEST(Posterior, WithoutDataIsThePrior) {
  const Problem problem = make_problem({2, 4, 0, 3}, 32);
  const Posterior normal = condition(problem.normal_prior(), Statistics(4, 2));
  EXPECT_EQ(normal.mean(), problem.M);
  EXPECT_EQ(normal.log_evidence(), 0);
  EXPECT_EQ(normal.residual_scatter(), Matrix::Zero(2, 2));
  EXPECT_LE(relative_error(normal.column_covariance().matrix(), problem.K), 1e-14);
  const Posterior t = condition(problem.wishart_prior(), Statistics(4, 2));
  EXPECT_EQ(t.log_evidence(), 0);
  EXPECT_LE(relative_error(t.row_scale().matrix(), problem.Psi), 1e-14);
}

TEST(Posterior, ManyDegreesOfFreedomCollapseToTheNormalCase) {
  Problem problem = make_problem({2, 5, 9, 3}, 33);
  problem.nu = 1e9;
  problem.Psi = problem.nu * problem.V;
  const Posterior t = condition(problem.wishart_prior(), problem.statistics());
  const Posterior normal = condition(problem.normal_prior(), problem.statistics());
  EXPECT_NEAR(t.log_evidence(), normal.log_evidence(), 1e-6);
  const Vector a = t.predict(problem.Phi_new, problem.sigma_new).log_density(problem.Y_new);
  const Vector b = normal.predict(problem.Phi_new, problem.sigma_new).log_density(problem.Y_new);
  EXPECT_LE(relative_error(a, b), 1e-7);
  EXPECT_LE(relative_error(t.noise_covariance(), problem.V), 1e-7);
}

TEST(Posterior, OneOutputIsAMultivariateStudentT) {
  const Problem problem = make_problem({1, 4, 7, 3}, 34);
  const Posterior posterior = condition(problem.wishart_prior(), problem.statistics());
  const Matrix omega =
      Matrix(problem.sigma.cwiseAbs2().asDiagonal()) + problem.Phi.transpose() * problem.K * problem.Phi;
  const double dof = problem.nu - 2;
  EXPECT_NEAR(posterior.log_evidence(),
              dense::log_student(problem.Y.transpose(), (problem.M * problem.Phi).transpose(),
                                 problem.Psi(0, 0) / dof * omega, dof),
              1e-11);
}

TEST(Posterior, PredictOneEqualsPredict) {
  for (const Index d :
       {1, 4, 5, 11, 23, 38}) {  // with and without rests of the four columns and eight rows of its loops
    const Problem problem = make_problem({3, d, 60, 700}, 35);
    for (const Posterior& posterior : {condition(problem.normal_prior(), problem.statistics()),
                                       condition(problem.normal_prior(), Statistics(d, 3))}) {
      const SharedPredictive all = posterior.predict(problem.Phi_new, problem.sigma_new);
      Vector mean(3);
      for (const Index l : {0, 511, 512, 699}) {
        const double factor = posterior.predict_one(problem.Phi_new.col(l), mean);
        EXPECT_NEAR(factor, all.epistemic_factor()(l), 1e-13 * factor) << d;
        EXPECT_LE(relative_error(mean, all.mean().col(l)), 1e-13) << d;
      }
    }
  }
}

TEST(Posterior, EpistemicPartIsPriorMinusReduction) {
  const Problem problem = make_problem({2, 5, 12, 4}, 36);
  const Posterior posterior = condition(problem.normal_prior(), problem.statistics());
  const EpistemicSplit split =
      split_epistemic(Covariance::from_matrix(problem.K), posterior, problem.Phi_new);
  const Matrix omega =
      Matrix(problem.sigma.cwiseAbs2().asDiagonal()) + problem.Phi.transpose() * problem.K * problem.Phi;
  const Matrix cross = problem.Phi.transpose() * problem.K * problem.Phi_new;  // N×L
  const Vector prior = (problem.Phi_new.transpose() * problem.K * problem.Phi_new).diagonal();
  const Vector reduction = (cross.transpose() * omega.llt().solve(cross)).diagonal();
  EXPECT_LE(relative_error(split.prior, prior), 1e-12);
  EXPECT_LE(relative_error(split.reduction, reduction), 1e-11);
  EXPECT_LE(relative_error(split.posterior, prior - reduction), 1e-10);
}

TEST(Posterior, KeepsItsDigitsOverManyUpdates) {
  const Problem problem = make_problem({2, 6, 300, 3}, 37);
  Posterior updated = condition(problem.wishart_prior(), problem.statistics(0, 1));
  double evidence = updated.log_evidence();
  for (Index i = 1; i < 300; ++i) {
    updated = condition(updated, problem.statistics(i, 1));
    evidence += updated.log_evidence();
  }
  const Posterior once = condition(problem.wishart_prior(), problem.statistics());
  EXPECT_LE(relative_error(updated.mean(), once.mean()), 1e-12);
  EXPECT_LE(relative_error(updated.row_scale().matrix(), once.row_scale().matrix()), 1e-12);
  EXPECT_NEAR(evidence, once.log_evidence(), 1e-9);
}

TEST(Posterior, SurvivesItsParts) {
  const Problem problem = make_problem({2, 4, 9, 3}, 38);
  const Posterior a = condition(problem.wishart_prior(), problem.statistics());
  const Posterior b = Posterior::from_parts(a.mean(), a.column_covariance(), a.row_scale(), a.nu(),
                                            a.residual_scatter(), a.log_evidence(), a.samples());
  EXPECT_EQ(a.predict(problem.Phi_new, problem.sigma_new).log_density(problem.Y_new),
            b.predict(problem.Phi_new, problem.sigma_new).log_density(problem.Y_new));
}

TEST(Posterior, BadInputNamesTheArgument) {
  using testing::StartsWith;
  const Problem problem = make_problem({2, 4, 9, 3}, 39);
  const auto normal = [&](auto change) {
    NormalPrior prior = problem.normal_prior();
    change(prior);
    return message_of([&] { (void)condition(prior, problem.statistics()); });
  };
  EXPECT_THAT(normal([](NormalPrior& prior) { prior.M(0, 0) = infinity; }),
              StartsWith("M: entry (0, 0) is inf"));
  EXPECT_THAT(normal([](NormalPrior& prior) { prior.V = Covariance::identity(3); }),
              StartsWith("V: is 3×3, expected 2×2"));
  EXPECT_THAT(normal([](NormalPrior& prior) { prior.K = Covariance::identity(2); }),
              StartsWith("K: is 2×2, expected 4×4"));
  EXPECT_THAT(message_of([&] { (void)condition(problem.normal_prior(), Statistics(4, 1)); }),
              StartsWith("data: "));
  const auto wishart = [&](auto change) {
    WishartPrior prior = problem.wishart_prior();
    change(prior);
    return message_of([&] { (void)condition(prior, problem.statistics()); });
  };
  EXPECT_THAT(wishart([](WishartPrior& prior) { prior.nu = 4; }),
              StartsWith("nu: is 4, expected a finite number > 2p = 4"));
  EXPECT_THAT(wishart([](WishartPrior& prior) { prior.Psi = Covariance::identity(1); }),
              StartsWith("Psi: is 1×1"));

  const Posterior posterior = condition(problem.normal_prior(), problem.statistics());
  Matrix bad = problem.Phi_new;
  bad(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of([&] { (void)posterior.predict(bad, problem.sigma_new); }),
              StartsWith("Phi: entry (1, 2) is nan"));
  EXPECT_THAT(message_of([&] { (void)posterior.predict(problem.Phi_new.topRows(3), problem.sigma_new); }),
              StartsWith("Phi: shape is 3×3, expected 4×3"));
  EXPECT_THAT(message_of([&] { (void)posterior.predict(problem.Phi_new, -problem.sigma_new); }),
              StartsWith("sigma: entry 0"));
  EXPECT_THAT(message_of([&] { (void)posterior.predict_joint(bad, problem.sigma_new); }),
              StartsWith("Phi: "));
  EXPECT_THAT(message_of([&] { (void)posterior.as_wishart_prior(); }), StartsWith("posterior: "));
  EXPECT_THAT(message_of([&] { (void)posterior.noise(); }), StartsWith("posterior: "));
}

}  // namespace
}  // namespace mbll
