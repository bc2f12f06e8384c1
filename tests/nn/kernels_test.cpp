#include "mbll/nn/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "nn/reference.hpp"

namespace mbll::nn::kernels {
namespace {

template <class Scalar>
class Kernels : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Kernels, Scalars);

template <class Scalar>
Scalar ulp(double value) {
  const auto size = static_cast<Scalar>(std::abs(value));
  return std::nextafter(size, std::numeric_limits<Scalar>::infinity()) - size;
}

/// A grid that is dense around zero and reaches far into saturation, in a multiple of the register width.
template <class Scalar>
std::vector<Scalar> grid() {
  std::vector<Scalar> values;
  for (double size = 1e-6; size < 80; size *= 1.01) {
    values.push_back(static_cast<Scalar>(size));
    values.push_back(static_cast<Scalar>(-size));
  }
  while (static_cast<Index>(values.size()) % lanes<Scalar> != 0) values.push_back(0);
  return values;
}

TYPED_TEST(Kernels, ActivationsAreThoseOfTheStandardLibrary) {
  const std::vector<TypeParam> z = grid<TypeParam>();
  const auto count = static_cast<Index>(z.size());
  const std::vector<TypeParam> bias(z.size(), 0);
  for (const Activation f : all_activations) {
    std::vector<TypeParam> value = z;
    std::vector<TypeParam> derivative(z.size());
    activate(f, count, 1, bias.data(), value.data(), derivative.data());
    std::vector<TypeParam> alone = z;
    activate(f, count, 1, bias.data(), alone.data(), nullptr);
    EXPECT_EQ(alone, value);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const auto x = static_cast<long double>(z[i]);
      long double expected = 0;
      switch (f) {
        case Activation::leaky_relu:
          expected = x > 0 ? x : static_cast<TypeParam>(0.01) * x;
          break;
        case Activation::relu:
          expected = x > 0 ? x : 0;
          break;
        case Activation::softplus:
          expected = std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x)));
          break;
        case Activation::tanh:
          expected = std::tanh(x);
          break;
        case Activation::silu:
          expected = x / (1 + std::exp(-x));
          break;
        case Activation::gelu:
          expected =
              x / (1 + std::exp(-2 * std::sqrt(2 / 3.14159265358979323846L) * (x + 0.044715L * x * x * x)));
          break;
      }
      // far out GELU's exponent is large, and so is its rounding
      const double units = f == Activation::gelu ? 4 + 6 * static_cast<double>(x * x) : 4;
      const double floor = std::numeric_limits<TypeParam>::min() * 100;
      EXPECT_NEAR(value[i], static_cast<double>(expected),
                  units * ulp<TypeParam>(static_cast<double>(expected)) + floor)
          << name_of(f) << " at " << z[i];
    }
  }
}

TYPED_TEST(Kernels, ExponentialIsExactToAFewUlps) {
  std::vector<TypeParam> x = grid<TypeParam>();
  x.resize(x.size() - 3);  // leaves a rest in the last register
  std::vector<TypeParam> y = x;
  exponential(static_cast<Index>(y.size()), y.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto expected = static_cast<double>(std::exp(static_cast<long double>(x[i])));
    EXPECT_NEAR(y[i], expected, 2 * ulp<TypeParam>(expected)) << x[i];
  }
}

TYPED_TEST(Kernels, ExtremesStayExtremeAndNanStaysNan) {
  const TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  std::vector<TypeParam> x{infinity, -infinity, nan, -1e30F, 1e30F};
  exponential(5, x.data());
  EXPECT_GT(x[0], 1e38F * 0.9F);
  EXPECT_LT(x[1], 1e-37);
  EXPECT_TRUE(std::isnan(x[2]));
  EXPECT_LT(x[3], 1e-37);
  for (const Activation f : all_activations) {
    std::vector<TypeParam> z(lanes<TypeParam>, 0);
    z[0] = nan;
    z[1] = 1000;
    z[2] = -1000;
    const std::vector<TypeParam> bias(z.size(), 0);
    std::vector<TypeParam> derivative(z.size());
    activate(f, lanes<TypeParam>, 1, bias.data(), z.data(), derivative.data());
    EXPECT_TRUE(std::isnan(z[0])) << name_of(f);
    EXPECT_EQ(z[1], f == Activation::tanh ? 1 : 1000) << name_of(f);
    EXPECT_NEAR(z[2], f == Activation::tanh ? -1 : f == Activation::leaky_relu ? -10 : 0, 1e-5) << name_of(f);
    for (int i = 1; i < lanes<TypeParam>; ++i) EXPECT_TRUE(std::isfinite(derivative[i])) << name_of(f);
  }
}

TYPED_TEST(Kernels, ActivationAddsTheBiasOfItsRow) {
  const Index rows = 2 * lanes<TypeParam>;
  std::vector<TypeParam> bias(rows);
  std::vector<TypeParam> z(3 * rows, 1);
  for (Index i = 0; i < rows; ++i) bias[i] = static_cast<TypeParam>(i);
  activate(Activation::relu, rows, 3, bias.data(), z.data(), nullptr);
  for (Index j = 0; j < 3; ++j)
    for (Index i = 0; i < rows; ++i) EXPECT_EQ(z[j * rows + i], static_cast<TypeParam>(i + 1));
}

TYPED_TEST(Kernels, BackwardMultipliesAndSums) {
  const Index rows = lanes<TypeParam>;
  std::vector<TypeParam> derivative(2 * rows), gradient(2 * rows), sums(rows);
  for (Index i = 0; i < 2 * rows; ++i) {
    derivative[i] = static_cast<TypeParam>(i);
    gradient[i] = static_cast<TypeParam>(i + 1);
  }
  activate_backward(rows, 2, derivative.data(), gradient.data(), sums.data());
  for (Index i = 0; i < rows; ++i) {
    EXPECT_EQ(gradient[rows + i], static_cast<TypeParam>((rows + i) * (rows + i + 1)));
    EXPECT_EQ(sums[i], static_cast<TypeParam>(i * (i + 1) + (rows + i) * (rows + i + 1)));
  }
}

TYPED_TEST(Kernels, SumOfSquaresSeesEveryEntry) {
  for (const Index count : {0, 1, 7, 33, 100}) {
    std::vector<TypeParam> x(count);
    double expected = 0;
    for (Index i = 0; i < count; ++i) {
      x[i] = static_cast<TypeParam>(i - 3);
      expected += (i - 3.0) * (i - 3.0);
    }
    EXPECT_EQ(sum_of_squares(count, x.data()), static_cast<TypeParam>(expected));
    for (Index i = 0; i < count; ++i) {
      std::vector<TypeParam> bad = x;
      bad[i] = std::numeric_limits<TypeParam>::quiet_NaN();
      EXPECT_FALSE(std::isfinite(sum_of_squares(count, bad.data())));
    }
  }
}

TYPED_TEST(Kernels, ProductOfEveryShape) {
  using Array = Eigen::Matrix<TypeParam, Eigen::Dynamic, 1>;
  for (const Index m : {1, 3, 8, 9, 16, 50, 64, 150})
    for (const Index n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 32, 70})
      for (const Index k : {1, 2, 13, 130})
        for (const bool transposed : {false, true})
          for (const bool row_wise : {false, true}) {
            const Matrix A = reference::random_matrix(m, k, 1);
            const Matrix B = reference::random_matrix(k, n, 2);
            const Index stride = padded<TypeParam>(m) + 3;  // wider than needed
            const Index a_stride = transposed ? k + 2 : padded<TypeParam>(m);
            Array a =
                Array::Constant(a_stride * (transposed ? m : k), std::numeric_limits<TypeParam>::quiet_NaN());
            for (Index i = 0; i < m; ++i)
              for (Index t = 0; t < k; ++t)
                a[transposed ? i * a_stride + t : t * a_stride + i] = static_cast<TypeParam>(A(i, t));
            Array b(k * n);
            for (Index t = 0; t < k; ++t)
              for (Index j = 0; j < n; ++j)
                b[row_wise ? t * n + j : j * k + t] = static_cast<TypeParam>(B(t, j));
            Array c = Array::Constant(stride * n, 77);
            Array scratch(scratch_size<TypeParam>(k));
            multiply(m, n, k, {a.data(), a_stride, transposed},
                     {b.data(), row_wise ? n : 1, row_wise ? 1 : k}, c.data(), stride, scratch.data());
            const Matrix expected = A.lazyProduct(B);
            const double tolerance = 20 * std::numeric_limits<TypeParam>::epsilon() * static_cast<double>(k);
            for (Index j = 0; j < n; ++j) {
              for (Index i = 0; i < m; ++i)
                ASSERT_NEAR(c[j * stride + i], expected(i, j), tolerance) << m << n << k;
              if (transposed)
                for (Index i = m; i < padded<TypeParam>(m); ++i) ASSERT_EQ(c[j * stride + i], 0);
              for (Index i = padded<TypeParam>(m); i < stride; ++i) ASSERT_EQ(c[j * stride + i], 77);
            }
          }
}

}  // namespace
}  // namespace mbll::nn::kernels
