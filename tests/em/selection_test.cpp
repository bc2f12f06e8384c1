#include "mbll/em/selection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "em/random_problem.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

using test::random_matrix;

NormalPrior unit_prior(Index d) {
  return {Matrix::Zero(1, d), Covariance::identity(1), Covariance::identity(d)};
}

TEST(LaplaceEvidence, EqualsQuadratureOverTheTwoScales) {
  // ∫∫ p(Y | k, σ²) d ln k d ln σ² by the trapezoidal rule on a fine grid around the optimum.
  Rng rng = make_rng(3);
  const Matrix Phi = random_matrix(40, 300, rng);
  const Matrix Y = random_matrix(1, 40, rng) * Phi + random_matrix(1, 300, rng);
  Statistics data(40, 1);
  data.add(Phi, Y);
  EmOptions options;
  options.update_noise = true;
  options.tolerance = 1e-10;
  const auto optimum = fit_em(unit_prior(40), data, options);
  const LaplaceEvidence laplace = laplace_evidence(optimum, data, options);
  EXPECT_EQ(laplace.parameters, 2);
  EXPECT_EQ(laplace.flat_directions, 0);

  const double log_k = std::log(optimum.prior.K.diagonal()(0));
  const double log_s = 2 * std::log(optimum.noise_scale);
  const double peak = optimum.posterior.log_evidence();
  constexpr double h = 0.06;
  double sum = 0;
  for (double a = -1.8; a <= 1.8; a += h)
    for (double b = -0.9; b <= 0.9; b += h)
      sum += h * h *
             std::exp(condition(NormalPrior{Matrix::Zero(1, 40), Covariance::identity(1),
                                            Covariance::isotropic(40, std::exp(log_k + a))},
                                data.with_noise_scaled(std::exp(0.5 * (log_s + b))))
                          .log_evidence() -
                      peak);
  // Laplace is not exact: the integrand is skewed by O(1/√d).
  EXPECT_NEAR(laplace.log_model_evidence, peak + std::log(sum), 0.05);
}

TEST(Select, PrefersTheDegreeThatMadeTheData) {
  Rng rng = make_rng(17);
  const Index N = 200;
  const Vector x = random_matrix(N, 1, rng);
  const auto monomials = [&](Index degree) {
    Matrix Phi(degree + 1, N);
    for (Index i = 0; i <= degree; ++i) Phi.row(i) = x.array().pow(static_cast<double>(i)).transpose();
    return Phi;
  };
  const Matrix Y = Eigen::RowVector3d(1, -2, 1.5) * monomials(2) + 0.3 * random_matrix(1, N, rng);
  std::vector<Candidate> candidates;
  for (const Index degree : {1, 2, 3, 5, 9}) {
    Statistics data(degree + 1, 1);
    data.add(monomials(degree), Y);
    EmOptions options;
    options.update_noise = true;
    candidates.push_back({"degree " + std::to_string(degree), data, unit_prior(degree + 1), options});
  }
  const auto ranked = select(candidates, 2);
  EXPECT_EQ(ranked.front().name, "degree 2");
  EXPECT_EQ(ranked.back().name, "degree 1");
  for (std::size_t i = 1; i < ranked.size(); ++i)
    EXPECT_GE(ranked[i - 1].evidence.log_model_evidence, ranked[i].evidence.log_model_evidence);
}

TEST(Select, RefusesCandidatesThatExplainDifferentData) {
  const Candidate a{"a", Statistics(2, 1), unit_prior(2), {}};
  Statistics more(2, 1);
  more.add(Matrix::Ones(2, 3), Matrix::Ones(1, 3));
  const Candidate b{"b", more, unit_prior(2), {}};
  EXPECT_THROW((void)select({a, b}), InvalidArgument);
  EXPECT_THROW((void)select({}), InvalidArgument);
}

}  // namespace
}  // namespace mbll
