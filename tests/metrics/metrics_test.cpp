#include "mbll/metrics/metrics.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "mbll/error.hpp"

namespace mbll {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// p = 2 outputs at L = 5 points, t distributed or Gaussian.
SharedPredictive example(double dof) {
  const Matrix mean{{0.5, 1.0, -2.0, 0.0, 3.0}, {1.0, 1.5, 2.0, -1.0, 0.3}};
  return SharedPredictive(mean, Vector{{1.0, 0.5, 2.0, 1.0, 0.3}}, Vector{{0.1, 0.2, 0.0, 0.4, 1.0}},
                          Matrix{{1.0, 0.6}, {0.6, 2.0}}, dof);
}
const Matrix kY{{1.0, 0.2, -4.5, 0.1, 3.1}, {0.0, 2.5, 2.2, -1.1, -2.0}};

// Reference: uncertainty-toolbox 0.1.1 (nll_gaussian, crps_gaussian, sharpness, interval_score with only p =
// 0.95; mean_absolute_calibration_error with prop_type="interval", num_bins=101, times 101/99 because it
// counts the levels 0 and 1).
TEST(Metrics, OneGaussianOutputAgainstUncertaintyToolbox) {
  const Matrix y{{0.3, -1.2, 2.5, 0.0, 4.1, 1.7, -0.5}};
  const Matrix mean{{0.1, -1.0, 1.5, 0.4, 3.9, 2.9, -0.6}};
  const Vector sd{{0.5, 0.3, 0.8, 1.1, 0.2, 0.6, 0.4}};
  const SharedPredictive predictive(mean, 0.7 * sd.cwiseAbs2(), 0.3 * sd.cwiseAbs2(), Matrix::Ones(1, 1),
                                    kInfinity);
  const double tolerance = 1e-13;
  EXPECT_NEAR(rmse(predictive, y), 0.62449979983984, tolerance);
  EXPECT_NEAR(nll(predictive, y), 0.721700004666322, tolerance);
  EXPECT_NEAR(output_crps(predictive, y)(0), 0.329910134766462, tolerance);
  EXPECT_NEAR(output_sharpness(predictive)(0), 0.626783170528009, tolerance);
  EXPECT_NEAR(output_interval_score(predictive, y, 0.95)(0), 2.3212262072073, tolerance);
  EXPECT_NEAR(output_ece(predictive, y)(0), 0.058066378066378, tolerance);
  EXPECT_NEAR(ece(predictive, y), 0.058066378066378, tolerance) << "for p = 1 the ellipsoid is the interval";
  EXPECT_NEAR(output_nll(predictive, y)(0), 0.721700004666322, tolerance);
}

TEST(Metrics, RmseIsTheVectorNorm) {
  double sum = 0;
  const SharedPredictive predictive = example(kInfinity);
  for (Index l = 0; l < 5; ++l) sum += (kY.col(l) - predictive.mean().col(l)).squaredNorm();
  EXPECT_NEAR(rmse(predictive, kY), std::sqrt(sum / 5), 1e-15);
  EXPECT_NEAR(output_rmse(predictive, kY).squaredNorm(), sum / 5, 1e-14);
}

TEST(Metrics, RmseOfHugeErrors) {
  const SharedPredictive predictive(Matrix::Zero(1, 3), Vector::Ones(3), Vector::Zero(3), Matrix::Ones(1, 1),
                                    kInfinity);
  EXPECT_NEAR(rmse(predictive, Matrix::Constant(1, 3, 1e300)), 1e300, 1e286);
}

TEST(Metrics, JointNllIsTheGaussianDensity) {
  const SharedPredictive predictive = example(kInfinity);
  double sum = 0;
  for (Index l = 0; l < 5; ++l) {
    const Matrix S = predictive.total_covariance(l);
    const Vector e = kY.col(l) - predictive.mean().col(l);
    sum += 0.5 * (std::log(S.determinant()) + 2 * std::log(2 * M_PI) + e.dot(S.llt().solve(e)));
  }
  EXPECT_NEAR(nll(predictive, kY), sum / 5, 1e-13);
}

// By distribution function and by interval must be the same share, also for the t distribution.
TEST(Metrics, CoverageAgreesWithTheIntervals) {
  for (const double dof : {4.5, kInfinity}) {
    const SharedPredictive predictive = example(dof);
    const Vector levels{{0.2, 0.5, 0.77, 0.9, 0.99}};
    const CalibrationCurve curve = calibration_curve(predictive, kY, levels);
    for (Index k = 0; k < levels.size(); ++k) {
      const Interval interval = predictive.interval(levels(k));
      for (Index j = 0; j < 2; ++j) {
        double inside = 0;
        for (Index l = 0; l < 5; ++l)
          inside += kY(j, l) >= interval.lower(j, l) && kY(j, l) <= interval.upper(j, l) ? 1 : 0;
        EXPECT_EQ(curve.marginal(j, k), inside / 5) << dof << " " << levels(k);
      }
    }
  }
}

// Samples of the predictive itself: every metric must find it calibrated. n = 20000 independent points; a
// share has standard deviation ≤ 0.5/√n = 0.0035, the mean over levels less; 5 sd is a false alarm of 10⁻⁶.
TEST(Metrics, SamplesOfThePredictiveAreCalibrated) {
  const Index L = 20000;
  Rng rng = make_rng(4);
  std::uniform_real_distribution<double> uniform(0.1, 2);
  Vector a(L), e(L);
  for (Index l = 0; l < L; ++l) {
    a(l) = uniform(rng);
    e(l) = uniform(rng);
  }
  for (const double dof : {5.0, kInfinity}) {
    const SharedPredictive predictive(Matrix::Random(3, L), a, e,
                                      Matrix{{1, 0.8, -0.3}, {0.8, 1, 0}, {-0.3, 0, 0.5}}, dof);
    const Matrix Y = predictive.sample(1, rng)[0];
    const Evaluation evaluation = evaluate(predictive, Y);
    const double tolerance = 5 * 0.5 / std::sqrt(static_cast<double>(L));
    EXPECT_LT(evaluation.joint.ece, tolerance);
    EXPECT_LT((evaluation.joint.coverage - evaluation.coverage_levels).cwiseAbs().maxCoeff(), tolerance);
    for (const auto& output : evaluation.outputs) {
      EXPECT_LT(output.ece, tolerance);
      EXPECT_LT((output.coverage - evaluation.coverage_levels).cwiseAbs().maxCoeff(), tolerance);
    }
    const Matrix F = pit(predictive, Y);
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(F.row(j).mean(), 0.5, tolerance);
    if (dof == kInfinity) EXPECT_NEAR(evaluation.joint.rmse / evaluation.joint.sharpness, 1, 0.02);
    // a predictive that is too sure is found out
    const SharedPredictive sure(predictive.mean(), a / 4, e / 4, predictive.row_covariance(), dof);
    EXPECT_GT(evaluate(sure, Y).joint.ece, 0.1);
  }
}

TEST(Metrics, EvaluateHoldsWhatTheFunctionsGive) {
  const SharedPredictive predictive = example(6.0);
  const Evaluation evaluation = evaluate(predictive, kY);
  EXPECT_EQ(evaluation.samples, 5);
  EXPECT_EQ(evaluation.joint.rmse, rmse(predictive, kY));
  EXPECT_EQ(evaluation.joint.nll, nll(predictive, kY));
  EXPECT_EQ(evaluation.joint.ece, ece(predictive, kY));
  EXPECT_NEAR(evaluation.joint.crps, output_crps(predictive, kY).mean(), 1e-15);
  EXPECT_NEAR(evaluation.joint.sharpness, std::sqrt(predictive.total_variance().colwise().sum().mean()),
              1e-14);
  ASSERT_EQ(evaluation.outputs.size(), 2);
  for (Index j = 0; j < 2; ++j) {
    const auto& output = evaluation.outputs[j];
    EXPECT_EQ(output.rmse, output_rmse(predictive, kY)(j));
    EXPECT_EQ(output.nll, output_nll(predictive, kY)(j));
    EXPECT_EQ(output.ece, output_ece(predictive, kY)(j));
    EXPECT_EQ(output.crps, output_crps(predictive, kY)(j));
    EXPECT_EQ(output.sharpness, output_sharpness(predictive)(j));
    EXPECT_EQ(output.interval_score, output_interval_score(predictive, kY, 0.95)(j));
    const CalibrationCurve curve = calibration_curve(predictive, kY, evaluation.coverage_levels);
    EXPECT_EQ(output.coverage, curve.marginal.row(j).transpose());
    EXPECT_EQ(evaluation.joint.coverage, curve.joint);
  }
}

TEST(Metrics, Arguments) {
  const SharedPredictive predictive = example(kInfinity);
  EXPECT_THROW((void)rmse(predictive, Matrix::Zero(2, 4)), InvalidArgument);
  EXPECT_THROW((void)nll(predictive, Matrix::Zero(3, 5)), InvalidArgument);
  Matrix Y = kY;
  Y(1, 2) = std::nan("");
  EXPECT_THROW((void)evaluate(predictive, Y), InvalidArgument);
  for (const double level : {0.0, 1.0, -0.5, std::nan("")}) {
    EXPECT_THROW((void)calibration_curve(predictive, kY, Vector::Constant(1, level)), InvalidArgument);
    EXPECT_THROW((void)output_interval_score(predictive, kY, level), InvalidArgument);
  }
}

}  // namespace
}  // namespace mbll
