#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/clones.hpp"
#include "core/simd.hpp"
#include "mbll/nn/kernels.hpp"

namespace mbll::nn::kernels {
namespace {

using simd::Bits;
using simd::load;
using simd::Register;
using simd::store;

/// Coefficients c of eʳ = 1 + r + r² Σ c_k rᵏ for |r| ≤ ½ ln 2 and of artanh s = s + s³ Σ c_k s²ᵏ for 0 ≤ s ≤
/// ⅓: Taylor's for double, and for float those of the interpolation at Chebyshev's nodes, which needs fewer
/// (relative errors 1.1·10⁻⁸ and 1.6·10⁻⁸).
template <class Scalar>
struct Coefficients {
  static constexpr auto exponential = [] {
    std::array<double, 12> c{};
    double factorial = 1;
    for (std::size_t k = 0; k < c.size(); ++k) {
      factorial *= static_cast<double>(k + 2);
      c[k] = 1 / factorial;
    }
    return c;
  }();
  static constexpr auto area_tangent = [] {
    std::array<double, 16> c{};
    for (std::size_t k = 0; k < c.size(); ++k) c[k] = 1 / static_cast<double>(2 * k + 3);
    return c;
  }();
};
template <>
struct Coefficients<float> {
  static constexpr std::array exponential{0.5F, 0.166665763F, 0.0416665561F, 0.00836317893F, 0.0013926184F};
  static constexpr std::array area_tangent{0.333333194F, 0.200037807F, 0.141183093F, 0.134257495F};
};

/// Σ c_k xᵏ. Even and odd powers on their own: half the latency of Horner's rule, which is what short loops
/// wait for.
template <class Scalar, std::size_t count>
MBLL_INLINE Register<Scalar> polynomial(const std::array<Scalar, count>& c, Register<Scalar> x) {
  const Register<Scalar> square = x * x;
  Register<Scalar> upper = Register<Scalar>{} + c[count - 1];
  Register<Scalar> lower = Register<Scalar>{} + c[count - 2];
#pragma GCC unroll 16
  for (std::size_t k = count - 2; k >= 2; k -= 2) {
    upper = upper * square + c[k - 1];
    lower = lower * square + c[k - 2];
  }
  if constexpr (count % 2 == 0) return upper * x + lower;
  return (upper * square + lower * x) + c[0];
}

/// −|z|
template <class Scalar>
MBLL_INLINE Register<Scalar> negative_size(Register<Scalar> z) {
  using Integers = Register<Bits<Scalar>>;
  return reinterpret_cast<Register<Scalar>>(reinterpret_cast<Integers>(z) |
                                            std::numeric_limits<Bits<Scalar>>::min());
}

/// eˣ = power + power·rest with power = 2ⁿ and rest = eʳ − 1, |r| ≤ ½ ln 2. For x ≤ 88 (float) or 709
/// (double).
template <class Scalar>
struct SplitExponential {
  Register<Scalar> power, rest;
};

template <class Scalar>
MBLL_INLINE SplitExponential<Scalar> split_exponential(Register<Scalar> x) {
  constexpr bool single = std::is_same_v<Scalar, float>;
  using Integers = Register<Bits<Scalar>>;
  constexpr Scalar lowest = single ? Scalar(-87.3) : Scalar(-708.3);
  constexpr Scalar log2_e = Scalar(1.44269504088896340736);
  // ln 2 in two parts, the first with trailing zeros: n·high is exact (Cody and Waite).
  constexpr Scalar ln2_high = single ? Scalar(0.693359375) : Scalar(6.93145751953125e-1);
  constexpr Scalar ln2_low = single ? Scalar(-2.12194440054690583e-4) : Scalar(1.42860682030941723212e-6);
  // Adding 1.5·2^(mantissa bits) rounds to an integer, which then stands in the low bits.
  constexpr Scalar rounder = single ? Scalar(12582912.0) : Scalar(6755399441055744.0);
  constexpr int mantissa = single ? 23 : 52;
  constexpr Bits<Scalar> bias = (single ? 127 : 1023) - std::bit_cast<Bits<Scalar>>(rounder);

  x = x < lowest ? Register<Scalar>{} + lowest : x;  // in this order NaN stays NaN
  const Register<Scalar> shifted = x * log2_e + rounder;
  const Register<Scalar> n = shifted - rounder;
  const Register<Scalar> r = (x - n * ln2_high) - n * ln2_low;
  const Register<Scalar> tail = polynomial<Scalar>(Coefficients<Scalar>::exponential, r);
  const Integers exponent = (reinterpret_cast<Integers>(shifted) + bias) << mantissa;
  return {reinterpret_cast<Register<Scalar>>(exponent), r + r * r * tail};
}

template <class Scalar>
MBLL_INLINE Register<Scalar> exp_of(Register<Scalar> x) {
  const SplitExponential<Scalar> e = split_exponential<Scalar>(x);
  return e.power + e.power * e.rest;
}

/// ln(1 + e) for s = e/(2+e), 0 ≤ e ≤ 1, as 2 artanh s.
template <class Scalar>
MBLL_INLINE Register<Scalar> log1p_of(Register<Scalar> s) {
  const Register<Scalar> square = s * s;
  const Register<Scalar> tail = polynomial<Scalar>(Coefficients<Scalar>::area_tangent, square);
  const Register<Scalar> twice = s + s;
  return twice + twice * (square * tail);
}

template <class Scalar>
MBLL_INLINE Register<Scalar> sigmoid(Register<Scalar> z) {
  const Register<Scalar> e = exp_of<Scalar>(negative_size<Scalar>(z));
  return (z < 0 ? e : Register<Scalar>{} + Scalar(1)) / (Scalar(1) + e);
}

template <class Scalar>
struct Value {
  Register<Scalar> f, derivative;
};

template <Activation activation, class Scalar>
MBLL_INLINE Value<Scalar> evaluate(Register<Scalar> z) {
  const Register<Scalar> zero{};
  const Register<Scalar> one = zero + Scalar(1);
  if constexpr (activation == Activation::leaky_relu) {
    const Register<Scalar> slope = z > 0 ? one : zero + Scalar(0.01);
    return {z * slope, slope};
  } else if constexpr (activation == Activation::relu) {
    const Register<Scalar> slope = z > 0 ? one : zero;
    return {z * slope, slope};
  } else if constexpr (activation == Activation::softplus) {
    const Register<Scalar> e = exp_of<Scalar>(negative_size<Scalar>(z));
    // 1/(1+e) and e/(2+e) by one division, the slowest of all these operations.
    const Register<Scalar> a = one + e;
    const Register<Scalar> b = Scalar(2) + e;
    const Register<Scalar> inverse = one / (a * b);
    return {(z < 0 ? zero : z) + log1p_of<Scalar>(e * a * inverse), (z < 0 ? e : one) * b * inverse};
  } else if constexpr (activation == Activation::tanh) {
    const SplitExponential<Scalar> e = split_exponential<Scalar>(negative_size<Scalar>(z) * Scalar(2));
    const Register<Scalar> minus = e.power * e.rest + (e.power - one);  // e^(−2|z|) − 1 without cancellation
    const Register<Scalar> size = -minus / (minus + Scalar(2));
    return {z < 0 ? -size : size, one - size * size};
  } else if constexpr (activation == Activation::silu) {
    const Register<Scalar> s = sigmoid<Scalar>(z);
    return {z * s, s * (one + z * (one - s))};
  } else {
    constexpr Scalar scale = Scalar(1.59576912160573071176);  // 2√(2/π)
    constexpr Scalar cubic = Scalar(0.044715);
    const Register<Scalar> square = z * z;
    const Register<Scalar> s = sigmoid<Scalar>(z * scale * (one + square * cubic));
    const Register<Scalar> slope = (one + square * (3 * cubic)) * scale;
    return {z * s, s * (one + z * (one - s) * slope)};
  }
}

template <Activation activation, class Scalar>
MBLL_INLINE void activate_columns(Index rows, Index n, const Scalar* bias, Scalar* z, Scalar* derivative) {
  for (Index j = 0; j < n; ++j, z += rows)
    if (derivative == nullptr) {
      for (Index i = 0; i < rows; i += lanes<Scalar>)
        store(evaluate<activation, Scalar>(load(z + i) + load(bias + i)).f, z + i);
    } else {
      for (Index i = 0; i < rows; i += lanes<Scalar>) {
        const Value<Scalar> value = evaluate<activation, Scalar>(load(z + i) + load(bias + i));
        store(value.f, z + i);
        store(value.derivative, derivative + i);
      }
      derivative += rows;
    }
}

template <class Scalar>
MBLL_INLINE void activate_any(Activation f, Index rows, Index n, const Scalar* bias, Scalar* z,
                              Scalar* derivative) {
  switch (f) {
    case Activation::leaky_relu:
      return activate_columns<Activation::leaky_relu>(rows, n, bias, z, derivative);
    case Activation::relu:
      return activate_columns<Activation::relu>(rows, n, bias, z, derivative);
    case Activation::softplus:
      return activate_columns<Activation::softplus>(rows, n, bias, z, derivative);
    case Activation::tanh:
      return activate_columns<Activation::tanh>(rows, n, bias, z, derivative);
    case Activation::silu:
      return activate_columns<Activation::silu>(rows, n, bias, z, derivative);
    case Activation::gelu:
      return activate_columns<Activation::gelu>(rows, n, bias, z, derivative);
  }
}

template <class Scalar>
MBLL_INLINE void backward_columns(Index rows, Index n, const Scalar* __restrict derivative,
                                  Scalar* __restrict gradient, Scalar* __restrict bias_gradient) {
  for (Index i = 0; i < rows; ++i) bias_gradient[i] = 0;
  for (Index j = 0; j < n; ++j, derivative += rows, gradient += rows)
    for (Index i = 0; i < rows; ++i) {
      gradient[i] *= derivative[i];
      bias_gradient[i] += gradient[i];
    }
}

template <class Scalar>
MBLL_INLINE void exponential_all(Index n, Scalar* x) {
  constexpr Scalar highest = std::is_same_v<Scalar, float> ? Scalar(88) : Scalar(709);
  for (Index i = 0; i < n; ++i) x[i] = x[i] > highest ? highest : x[i];  // in this order NaN stays NaN
  for (; n >= lanes<Scalar>; n -= lanes<Scalar>, x += lanes<Scalar>) store(exp_of<Scalar>(load(x)), x);
  if (n == 0) return;
  Scalar rest[lanes<Scalar>] = {};
  std::copy_n(x, n, rest);
  store(exp_of<Scalar>(load(rest)), rest);
  std::copy_n(rest, n, x);
}

/// Four registers of partial sums: a plain loop would have to add in order.
template <class Scalar>
MBLL_INLINE Scalar square_sum(Index n, const Scalar* x) {
  Register<Scalar> sum[4] = {};
  Index i = 0;
  for (; i + 4 * lanes<Scalar> <= n; i += 4 * lanes<Scalar>)
#pragma GCC unroll 4
    for (Index part = 0; part < 4; ++part) {
      const Register<Scalar> value = load(x + i + part * lanes<Scalar>);
      sum[part] += value * value;
    }
  Scalar total = 0;
  for (; i < n; ++i) total += x[i] * x[i];
  const Register<Scalar> all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (Index lane = 0; lane < lanes<Scalar>; ++lane) total += all[lane];
  return total;
}

template <class Scalar>
MBLL_INLINE Scalar clipped(Scalar gradient, const StepSizes<Scalar>& s) {
  const Scalar g = gradient * s.gradient_scale;
  const Scalar low = g < -s.clip ? -s.clip : g;
  return low > s.clip ? s.clip : low;
}

template <class Scalar>
MBLL_INLINE void adamw_all(Index n, StepSizes<Scalar> s, const Scalar* __restrict gradient,
                           Scalar* __restrict first, Scalar* __restrict second, Scalar* __restrict values) {
  for (Index i = 0; i < n; ++i) {
    const Scalar g = clipped(gradient[i], s);
    const Scalar m = first[i] + (1 - s.beta1) * (g - first[i]);
    const Scalar v = second[i] + (1 - s.beta2) * (g * g - second[i]);
    first[i] = m;
    second[i] = v;
    values[i] = values[i] * s.keep - s.rate * m / (std::sqrt(v) * s.second_scale + s.epsilon);
  }
}

template <class Scalar>
MBLL_INLINE void sgd_all(Index n, StepSizes<Scalar> s, const Scalar* __restrict gradient,
                         Scalar* __restrict velocity, Scalar* __restrict values) {
  for (Index i = 0; i < n; ++i) {
    const Scalar v = s.beta1 * velocity[i] + clipped(gradient[i], s);
    velocity[i] = v;
    values[i] = values[i] * s.keep - s.rate * v;
  }
}

}  // namespace

// The attribute does not combine with templates: each kernel is written out for both scalars.

MBLL_CLONES void activate(Activation f, Index rows, Index n, const float* bias, float* z, float* derivative) {
  activate_any(f, rows, n, bias, z, derivative);
}
MBLL_CLONES void activate_backward(Index rows, Index n, const float* derivative, float* gradient,
                                   float* bias_gradient) {
  backward_columns(rows, n, derivative, gradient, bias_gradient);
}
MBLL_CLONES void exponential(Index n, float* x) { exponential_all(n, x); }
MBLL_CLONES float sum_of_squares(Index n, const float* x) { return square_sum(n, x); }
MBLL_CLONES void adamw(Index n, const StepSizes<float>& s, const float* gradient, float* first, float* second,
                       float* values) {
  adamw_all(n, s, gradient, first, second, values);
}
MBLL_CLONES void sgd(Index n, const StepSizes<float>& s, const float* gradient, float* velocity,
                     float* values) {
  sgd_all(n, s, gradient, velocity, values);
}

MBLL_CLONES void activate(Activation f, Index rows, Index n, const double* bias, double* z,
                          double* derivative) {
  activate_any(f, rows, n, bias, z, derivative);
}
MBLL_CLONES void activate_backward(Index rows, Index n, const double* derivative, double* gradient,
                                   double* bias_gradient) {
  backward_columns(rows, n, derivative, gradient, bias_gradient);
}
MBLL_CLONES void exponential(Index n, double* x) { exponential_all(n, x); }
MBLL_CLONES double sum_of_squares(Index n, const double* x) { return square_sum(n, x); }
MBLL_CLONES void adamw(Index n, const StepSizes<double>& s, const double* gradient, double* first,
                       double* second, double* values) {
  adamw_all(n, s, gradient, first, second, values);
}
MBLL_CLONES void sgd(Index n, const StepSizes<double>& s, const double* gradient, double* velocity,
                     double* values) {
  sgd_all(n, s, gradient, velocity, values);
}

}  // namespace mbll::nn::kernels
