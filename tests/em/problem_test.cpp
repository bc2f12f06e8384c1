#include "em/problem.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "em/random_problem.hpp"

namespace mbll::em {
namespace {

using test::RandomProblem;
constexpr double kKnown = std::numeric_limits<double>::infinity();

struct Case {
  bool wishart;
  ColumnStructure column;
  RowStructure row;
  bool hyperprior;
  bool update_mean;
  bool update_noise;
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(c.wishart ? "Unknown" : "Known") + "_" + name_of(c.column) + "_" + name_of(c.row) +
         (c.hyperprior ? "_hyper" : "") + (c.update_mean ? "_joint" : "") + (c.update_noise ? "_noise" : "");
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const bool wishart : {false, true})
    for (const auto column : {ColumnStructure::full, ColumnStructure::diagonal, ColumnStructure::isotropic,
                              ColumnStructure::blocks})
      for (const auto row : {RowStructure::full, RowStructure::diagonal, RowStructure::isotropic})
        for (const bool noise : {false, true})
          for (const auto& [hyper, joint] : {std::pair{false, false}, {true, false}, {true, true}})
            if (wishart || row == RowStructure::full)
              cases.push_back({wishart, column, row, hyper, joint, noise});
  return cases;
}

template <class Predicate>
std::vector<Case> cases_where(Predicate wanted) {
  std::vector<Case> cases;
  for (const Case& c : every_case())
    if (wanted(c)) cases.push_back(c);
  return cases;
}

EmOptions options_of(const Case& c, const RandomProblem& problem) {
  EmOptions options;
  options.column = c.column;
  if (c.column == ColumnStructure::blocks) options.blocks = {2, 1, problem.d - 3};
  options.row = c.row;
  if (c.hyperprior) options.hyperprior = Hyperprior{problem.H, 1.5};
  options.update_mean = c.update_mean;
  options.update_noise = c.update_noise;
  return options;
}

std::unique_ptr<Problem> problem_of(const Case& c, const RandomProblem& problem, const EmOptions& options,
                                    bool dense = false) {
  const Parameters start{problem.normal.M, problem.normal.K, 1.3,
                         c.wishart ? problem.wishart.Psi : problem.normal.V};
  const double nu = c.wishart ? problem.wishart.nu : kKnown;
  return dense ? make_dense_problem(start, nu, problem.data, options)
               : make_problem(start, nu, problem.data, options);
}

class EveryScheme : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Em, EveryScheme, testing::ValuesIn(every_case()), name_of_case);

/// With fewer outputs than features the evidence drives a full K without hyperprior to rank p: there is no
/// fixed point inside.
class ConvergentScheme : public EveryScheme {};
INSTANTIATE_TEST_SUITE_P(Em, ConvergentScheme, testing::ValuesIn(cases_where([](const Case& c) {
                           return !c.update_mean && (c.column != ColumnStructure::full || c.hyperprior);
                         })),
                         name_of_case);

class IsotropicScheme : public EveryScheme {};
INSTANTIATE_TEST_SUITE_P(Em, IsotropicScheme, testing::ValuesIn(cases_where([](const Case& c) {
                           return c.column == ColumnStructure::isotropic;
                         })),
                         name_of_case);

TEST_P(EveryScheme, NeverLowersTheObjective) {
  for (const auto& [p, d, N] : {std::tuple<Index, Index, Index>{3, 5, 40}, {1, 4, 17}, {2, 7, 4}}) {
    const RandomProblem data = RandomProblem::make(p, d, N, 11 + N);
    for (const bool accelerate : {false, true}) {
      EmOptions options = options_of(GetParam(), data);
      options.accelerate = accelerate;
      options.tolerance = 1e-9;
      options.max_steps = 200;
      const em::Run run = em::run(*problem_of(GetParam(), data, options), options);
      ASSERT_GE(run.summary.trace.size(), 3U);
      for (std::size_t i = 1; i < run.summary.trace.size(); ++i) {
        const double before = run.summary.trace[i - 1].objective();
        ASSERT_GE(run.summary.trace[i].objective(), before - 1e-10 * std::abs(before))
            << "step " << i << " p=" << p << " d=" << d << " N=" << N << " accelerate=" << accelerate;
      }
    }
  }
}

TEST_P(EveryScheme, GradientIsThatOfTheObjective) {
  const RandomProblem data = RandomProblem::make(2, 5, 23, 5);
  const auto problem = problem_of(GetParam(), data, options_of(GetParam(), data));
  const Vector theta = problem->start();
  const Vector gradient = problem->evaluate(theta).gradient;
  for (Index i = 0; i < theta.size(); ++i) {
    constexpr double h = 1e-5;
    Vector ahead = theta;
    Vector behind = theta;
    ahead(i) += h;
    behind(i) -= h;
    const double slope =
        (problem->evaluate(ahead).step.objective() - problem->evaluate(behind).step.objective()) / (2 * h);
    EXPECT_NEAR(gradient(i), slope, 1e-6 * (1 + gradient.cwiseAbs().maxCoeff())) << "parameter " << i;
  }
}

TEST_P(ConvergentScheme, FixedPointHasNoGradient) {
  const RandomProblem data = RandomProblem::make(2, 4, 60, 8);
  EmOptions options = options_of(GetParam(), data);
  options.tolerance = 1e-11;
  options.max_steps = 20000;
  const auto problem = problem_of(GetParam(), data, options);
  const em::Run run = em::run(*problem, options);
  EXPECT_EQ(run.summary.end, EmEnd::converged);
  EXPECT_LT(problem->evaluate(run.theta).gradient.cwiseAbs().maxCoeff(), 1e-5);
}

TEST_P(IsotropicScheme, SpectralFormEqualsDenseForm) {
  for (const auto& [p, d, N] : {std::tuple<Index, Index, Index>{3, 5, 40}, {2, 7, 4}}) {
    const RandomProblem data = RandomProblem::make(p, d, N, 3);
    const EmOptions options = options_of(GetParam(), data);
    const auto spectral = problem_of(GetParam(), data, options);
    const auto dense = problem_of(GetParam(), data, options, true);
    const Evaluation a = spectral->evaluate(spectral->start());
    const Evaluation b = dense->evaluate(dense->start());
    EXPECT_NEAR(a.step.log_evidence, b.step.log_evidence, 1e-10 * std::abs(b.step.log_evidence));
    EXPECT_NEAR(a.step.log_hyperprior, b.step.log_hyperprior, 1e-10 * (1 + std::abs(b.step.log_hyperprior)));
    EXPECT_NEAR(a.step.effective_parameters, b.step.effective_parameters, 1e-10 * static_cast<double>(d));
    const Parameters next_a = spectral->values(a.next);
    const Parameters next_b = dense->values(b.next);
    EXPECT_LT((next_a.M - next_b.M).norm(), 1e-10 * next_b.M.norm());
    EXPECT_LT((next_a.K.matrix() - next_b.K.matrix()).norm(), 1e-10 * next_b.K.matrix().norm());
    EXPECT_NEAR(next_a.noise_scale, next_b.noise_scale, 1e-10 * next_b.noise_scale);
    EXPECT_LT((next_a.Psi.matrix() - next_b.Psi.matrix()).norm(), 1e-10 * next_b.Psi.matrix().norm());
  }
}

TEST(SpectralProblem, ProposesTheBestVarianceForItsRatioAndConvergesInAFewOfThem) {
  for (const bool hyperprior : {false, true}) {
    const Case c{false, ColumnStructure::isotropic, RowStructure::full, hyperprior, false, true};
    const RandomProblem data = RandomProblem::make(2, 5, 60, 31);
    const auto problem = problem_of(c, data, options_of(c, data));
    Evaluation at = problem->evaluate(problem->start());
    for (int step = 0; step < 8; ++step) {
      at = problem->evaluate(at.proposal);
      // k and σ² times the same factor: the direction in which the proposal is the maximum, at every step.
      EXPECT_NEAR(at.gradient.sum(), 0, 1e-10 * 60) << step;
    }
    EXPECT_LT(at.gradient.norm(), 1e-9);
  }
}

}  // namespace
}  // namespace mbll::em
