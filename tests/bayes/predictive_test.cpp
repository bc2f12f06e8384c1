#include "mbll/bayes/predictive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "support/golden.hpp"
#include "support/moments.hpp"
#include "support/problem.hpp"

namespace mbll {
namespace {

using golden::relative_error;
using test::message_of;

using test::infinity;

struct Example {
  Matrix S{{2.0, 0.6}, {0.6, 0.5}};
  Matrix mean{{1.0, -2.0, 0.5}, {0.0, 3.0, 10.0}};
  Vector a{{0.5, 1.0, 2.0}};
  Vector e{{0.1, 0.0, 3.0}};
  Matrix Y{{1.5, -4.0, 9.0}, {-0.7, 3.1, 8.0}};

  [[nodiscard]] SharedPredictive predictive(double dof) const { return {mean, a, e, S, dof}; }
};

class EveryDof : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Dof, EveryDof, testing::Values(infinity, 2.5, 7.0, 400.0), [](const auto& info) {
  return std::isinf(info.param) ? "Gaussian" : "t" + std::to_string(static_cast<int>(info.param));
});

/// Density and distribution function of a marginal by Boost.
struct Marginal {
  double mean, deviation, dof;
  [[nodiscard]] double scale() const {
    return std::isinf(dof) ? deviation : deviation * std::sqrt((dof - 2) / dof);
  }
  [[nodiscard]] double pdf(double y) const {
    const double z = (y - mean) / scale();
    return (std::isinf(dof) ? boost::math::pdf(boost::math::normal(), z)
                            : boost::math::pdf(boost::math::students_t(dof), z)) /
           scale();
  }
  [[nodiscard]] double cdf(double y) const {
    const double z = (y - mean) / scale();
    return std::isinf(dof) ? boost::math::cdf(boost::math::normal(), z)
                           : boost::math::cdf(boost::math::students_t(dof), z);
  }
  [[nodiscard]] double crps(double y) const {
    using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
    const auto below = [&](double x) { return std::pow(cdf(x), 2); };
    const auto above = [&](double x) { return std::pow(1 - cdf(x), 2); };
    return Quadrature::integrate(below, -infinity, y, 15, 1e-12) +
           Quadrature::integrate(above, y, infinity, 15, 1e-12);
  }
};

TEST_P(EveryDof, PartsAreMultiplesOfTheRowCovariance) {
  const Example x;
  const SharedPredictive predictive = x.predictive(GetParam());
  for (Index l = 0; l < 3; ++l) {
    EXPECT_LE(relative_error(predictive.aleatoric_covariance(l), x.a(l) * x.S), 1e-14);
    EXPECT_LE(relative_error(predictive.epistemic_covariance(l), x.e(l) * x.S), 1e-14);
    EXPECT_LE(relative_error(predictive.total_factored(l).matrix(), (x.a(l) + x.e(l)) * x.S), 1e-14);
    EXPECT_LE(relative_error(predictive.total_variance().col(l), predictive.total_covariance(l).diagonal()),
              1e-14);
  }
  EXPECT_EQ(predictive.dof(), GetParam());
}

TEST_P(EveryDof, MarginalsMatchBoost) {
  const Example x;
  const SharedPredictive predictive = x.predictive(GetParam());
  const Matrix log_density = predictive.marginal_log_density(x.Y);
  const Matrix cdf = predictive.cdf(x.Y);
  const Matrix crps = predictive.crps(x.Y);
  const Interval interval = predictive.interval(0.9);
  for (Index l = 0; l < 3; ++l)
    for (Index j = 0; j < 2; ++j) {
      const Marginal marginal{x.mean(j, l), std::sqrt((x.a(l) + x.e(l)) * x.S(j, j)), GetParam()};
      EXPECT_NEAR(log_density(j, l), std::log(marginal.pdf(x.Y(j, l))), 1e-12);
      EXPECT_NEAR(cdf(j, l), marginal.cdf(x.Y(j, l)), 1e-13);
      EXPECT_NEAR(crps(j, l), marginal.crps(x.Y(j, l)), 1e-7);
      EXPECT_NEAR(marginal.cdf(interval.lower(j, l)), 0.05, 1e-12);
      EXPECT_NEAR(marginal.cdf(interval.upper(j, l)), 0.95, 1e-12);
    }
}

TEST_P(EveryDof, JointDensityAndEllipsoid) {
  const Example x;
  const double dof = GetParam();
  const SharedPredictive predictive = x.predictive(dof);
  const Vector log_density = predictive.log_density(x.Y);
  const Vector level = predictive.ellipsoid_level(x.Y);
  for (Index l = 0; l < 3; ++l) {
    const Matrix covariance = (x.a(l) + x.e(l)) * x.S;
    const Vector r = x.Y.col(l) - x.mean.col(l);
    const double square = r.dot(covariance.llt().solve(r));
    if (std::isinf(dof)) {
      EXPECT_NEAR(log_density(l), dense::log_normal(x.Y.col(l), x.mean.col(l), covariance), 1e-12);
      EXPECT_NEAR(level(l), boost::math::cdf(boost::math::chi_squared(2), square), 1e-13);
    } else {
      EXPECT_NEAR(log_density(l),
                  dense::log_student(x.Y.col(l), x.mean.col(l), covariance * (dof - 2) / dof, dof), 1e-11);
      EXPECT_NEAR(level(l), boost::math::cdf(boost::math::fisher_f(2, dof), square * dof / (dof - 2) / 2),
                  1e-12);
    }
  }
}

TEST_P(EveryDof, RescalingMovesEverythingAlong) {
  const Example x;
  const SharedPredictive predictive = x.predictive(GetParam());
  const Vector scale{{2.0, 0.3}};
  const Vector shift{{-1.0, 5.0}};
  const auto rescaled = predictive.rescaled(scale, shift);
  const Matrix Y = (scale.asDiagonal() * x.Y).colwise() + shift;
  EXPECT_LE(relative_error(rescaled->cdf(Y), predictive.cdf(x.Y)), 1e-12);
  EXPECT_LE(relative_error(rescaled->ellipsoid_level(Y), predictive.ellipsoid_level(x.Y)), 1e-12);
  EXPECT_LE(relative_error(rescaled->log_density(Y).array() + std::log(0.6), predictive.log_density(x.Y)),
            1e-12);
  EXPECT_LE(relative_error(rescaled->crps(Y), scale.asDiagonal() * predictive.crps(x.Y)), 1e-12);
  EXPECT_LE(relative_error(rescaled->epistemic_variance(),
                           scale.cwiseAbs2().asDiagonal() * predictive.epistemic_variance()),
            1e-13);
}

TEST(SharedPredictive, DrawsHaveTheMoments) {
  const Example x;
  for (const double dof : {infinity, 12.0}) {
    const SharedPredictive predictive = x.predictive(dof);
    Rng rng = make_rng(51);
    const std::vector<Matrix> draws = predictive.sample(20000, rng);
    test::expect_mean(draws, x.mean);
    Matrix covariance = Matrix::Zero(6, 6);
    for (Index l = 0; l < 3; ++l) covariance.block(2 * l, 2 * l, 2, 2) = predictive.total_covariance(l);
    test::expect_covariance(draws, x.mean, covariance);
  }
}

TEST(SharedPredictive, WithoutAVarianceEverythingElseHolds) {
  const Example x;
  for (const double dof : {0.7, 1.0, 2.0}) {
    const SharedPredictive predictive =
        SharedPredictive::from_scale(x.mean, x.a, x.e, Covariance::from_matrix(x.S), dof);
    EXPECT_EQ(predictive.total_variance()(0, 0), infinity);
    EXPECT_EQ(predictive.epistemic_variance()(0, 1), 0);  // φ = 0 there
    EXPECT_EQ(predictive.epistemic_covariance(1), Matrix::Zero(2, 2));
    EXPECT_TRUE(predictive.log_density(x.Y).allFinite());
    EXPECT_TRUE(predictive.crps(x.Y).allFinite());
    const Interval interval = predictive.interval(0.5);
    EXPECT_NEAR(predictive.cdf(interval.upper)(1, 2), 0.75, 1e-12);
  }
  // Cauchy: ∫(F − 1{x ≥ 0})² dx = 2∫₀^∞ (½ − atan(x)/π)² dx = 2 ln 2/π
  const SharedPredictive cauchy = SharedPredictive::from_scale(Matrix::Zero(1, 1), Vector::Ones(1),
                                                               Vector::Zero(1), Covariance::identity(1), 1);
  EXPECT_NEAR(cauchy.crps(Matrix::Zero(1, 1))(0, 0), 2 * std::log(2.0) / std::numbers::pi, 1e-8);
}

TEST(SharedPredictive, FarTailsStayFinite) {
  const Example x;
  for (const double dof : {infinity, 3.0}) {
    const SharedPredictive predictive = x.predictive(dof);
    const Interval wide = predictive.interval(1 - 1e-16);
    EXPECT_TRUE(wide.upper.allFinite() && wide.lower.allFinite());
    const Matrix far = Matrix::Constant(2, 3, 1e150);
    EXPECT_FALSE(predictive.log_density(far).hasNaN());
    EXPECT_EQ(predictive.cdf(far), Matrix::Ones(2, 3));
    EXPECT_EQ(predictive.ellipsoid_level(far), Vector::Ones(3));
  }
}

TEST(SharedPredictive, BadInputNamesTheArgument) {
  using testing::StartsWith;
  const Example x;
  const SharedPredictive predictive = x.predictive(5);
  const auto make = [](const Example& bad, double dof) {
    return message_of([&] { (void)bad.predictive(dof); });
  };
  EXPECT_THAT(make(x, 2), StartsWith("dof: is 2"));
  Example bad = x;
  bad.a(1) = 0;
  EXPECT_THAT(make(bad, 5), StartsWith("aleatoric_factor: entry 1 is 0"));
  bad = x;
  bad.e(1) = -1;
  EXPECT_THAT(make(bad, 5), StartsWith("epistemic_factor: "));
  bad = x;
  bad.S(0, 0) = -1;
  EXPECT_THAT(make(bad, 5), StartsWith("row_covariance: "));
  for (const double level : {0.0, 1.0, -0.5, std::nan("")})
    EXPECT_THAT(message_of([&] { (void)predictive.interval(level); }), StartsWith("level: "));
  EXPECT_THAT(message_of([&] { (void)predictive.log_density(x.Y.leftCols(2)); }),
              StartsWith("Y: shape is 2×2, expected 2×3"));
  EXPECT_THAT(message_of([&] { (void)predictive.crps(std::nan("") * x.Y); }),
              StartsWith("Y: entry (0, 0) is"));
  EXPECT_THAT(message_of([&] { (void)predictive.rescaled(Vector::Zero(2), Vector::Zero(2)); }),
              StartsWith("scale: "));
}

}  // namespace
}  // namespace mbll
