#include "mbll/nn/optimiser.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mbll/error.hpp"
#include "nn/reference.hpp"

namespace mbll::nn {
namespace {

/// Eleven parameters: 0–5 decayed, 6–8 not, 9–10 untouched.
constexpr Index count = 11;
const Optimiser<double>::Ranges decayed{{0, 2}, {2, 4}};
const Optimiser<double>::Ranges plain{{6, 3}};

TEST(Optimiser, AdamwIsTheTextbookOne) {
  OptimiserOptions options;
  options.weight_decay = 0.1;
  options.beta1 = 0.8;
  options.beta2 = 0.95;
  options.clip_value = 0.7;
  Optimiser<double> optimiser(options, count, decayed, plain);
  const Vector start = reference::random_matrix(count, 1, 1);
  Vector values = start;
  Vector expected = start;
  Vector m = Vector::Zero(count);
  Vector v = Vector::Zero(count);
  for (int t = 1; t <= 6; ++t) {
    const double rate = 0.01 * t;
    const Vector gradient = reference::random_matrix(count, 1, 10 + t);
    ASSERT_TRUE(optimiser.step(rate, gradient, values));
    for (Index i = 0; i < 9; ++i) {
      const double g = std::clamp(gradient[i], -0.7, 0.7);
      if (i < 6) expected[i] -= rate * 0.1 * expected[i];
      m[i] = 0.8 * m[i] + 0.2 * g;
      v[i] = 0.95 * v[i] + 0.05 * g * g;
      const double m_hat = m[i] / (1 - std::pow(0.8, t));
      const double v_hat = v[i] / (1 - std::pow(0.95, t));
      expected[i] -= rate * m_hat / (std::sqrt(v_hat) + 1e-8);
    }
    EXPECT_LT((values - expected).cwiseAbs().maxCoeff(), 1e-14);
  }
  EXPECT_EQ(values.tail(2), start.tail(2));
}

TEST(Optimiser, SgdWithMomentum) {
  OptimiserOptions options;
  options.method = Method::sgd;
  options.momentum = 0.6;
  options.weight_decay = 0.2;
  Optimiser<double> optimiser(options, count, decayed, plain);
  Vector values = reference::random_matrix(count, 1, 1);
  Vector expected = values;
  Vector velocity = Vector::Zero(count);
  for (int t = 1; t <= 4; ++t) {
    const Vector gradient = reference::random_matrix(count, 1, 10 + t);
    ASSERT_TRUE(optimiser.step(0.05, gradient, values));
    for (Index i = 0; i < 9; ++i) {
      velocity[i] = 0.6 * velocity[i] + gradient[i];
      expected[i] = expected[i] * (1 - (i < 6 ? 0.05 * 0.2 : 0)) - 0.05 * velocity[i];
    }
    EXPECT_LT((values - expected).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(Optimiser, ClipsTheNormOfWhatItReaches) {
  OptimiserOptions options;
  options.method = Method::sgd;
  options.momentum = 0;
  options.weight_decay = 0;
  options.clip_norm = 0.5;
  Vector gradient = 3 * reference::random_matrix(count, 1, 4);
  Vector values = Vector::Zero(count);
  Optimiser<double> optimiser(options, count, decayed, plain);
  ASSERT_TRUE(optimiser.step(1, gradient, values));
  EXPECT_NEAR(values.norm(), 0.5, 1e-12);
  EXPECT_LT((values.head(9) + gradient.head(9) * (0.5 / gradient.head(9).norm())).norm(), 1e-12);
  // a short one stays as it is
  gradient *= 0.1 / gradient.head(9).norm();
  values.setZero();
  ASSERT_TRUE(optimiser.step(1, gradient, values));
  EXPECT_LT((values.head(9) + gradient.head(9)).norm(), 1e-15);
}

TEST(Optimiser, RefusesAGradientThatIsNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Optimiser<double> optimiser({}, count, decayed, plain);
    Vector values = Vector::Ones(count);
    Vector gradient = Vector::Ones(count);
    gradient[7] = bad;
    EXPECT_FALSE(optimiser.step(0.1, gradient, values));
    EXPECT_EQ(values, Vector::Ones(count));
    gradient[7] = 1;
    gradient[10] = bad;  // not reached
    EXPECT_TRUE(optimiser.step(0.1, gradient, values));
    EXPECT_TRUE(values.allFinite());
  }
}

TEST(Optimiser, ResetForgets) {
  Optimiser<double> used({}, count, decayed, plain);
  Vector values = Vector::Ones(count);
  ASSERT_TRUE(used.step(0.1, reference::random_matrix(count, 1, 4), values));
  used.reset();
  Optimiser<double> fresh({}, count, decayed, plain);
  Vector a = Vector::Ones(count);
  Vector b = a;
  const Vector gradient = reference::random_matrix(count, 1, 5);
  ASSERT_TRUE(used.step(0.1, gradient, a));
  ASSERT_TRUE(fresh.step(0.1, gradient, b));
  EXPECT_EQ(a, b);
}

TEST(OptimiserOptions, NamesWhatIsOutOfRange) {
  EXPECT_NO_THROW(OptimiserOptions{}.validate());
  EXPECT_THROW(OptimiserOptions{.rate = 0}.validate(), InvalidArgument);
  EXPECT_THROW(OptimiserOptions{.weight_decay = -1}.validate(), InvalidArgument);
  EXPECT_THROW(OptimiserOptions{.beta2 = 1}.validate(), InvalidArgument);
  EXPECT_THROW(OptimiserOptions{.momentum = 1}.validate(), InvalidArgument);
  EXPECT_THROW(OptimiserOptions{.clip_norm = -1}.validate(), InvalidArgument);
  EXPECT_EQ(method_from_name("sgd"), Method::sgd);
  EXPECT_THROW((void)method_from_name("adam"), InvalidArgument);
}

}  // namespace
}  // namespace mbll::nn
