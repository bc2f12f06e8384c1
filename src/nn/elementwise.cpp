#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "mbll/nn/kernels.hpp"
#include "nn/clones.hpp"

namespace mbll::nn::kernels {
namespace {

/// 1/k! and 1/(2k+1) as long as they matter at the scalar's precision.
template <class Scalar>
inline constexpr int exp_terms = std::is_same_v<Scalar, float> ? 7 : 13;
template <class Scalar>
inline constexpr int log_terms = std::is_same_v<Scalar, float> ? 7 : 16;

template <class Scalar>
struct Series {
  Scalar exp[exp_terms<Scalar> + 1];
  Scalar log[log_terms<Scalar> + 1];
};
template <class Scalar>
constexpr Series<Scalar> make_series() {
  Series<Scalar> series{};
  double factorial = 1;
  for (int k = 0; k <= exp_terms<Scalar>; ++k) {
    factorial *= k > 1 ? k : 1;
    series.exp[k] = static_cast<Scalar>(1 / factorial);
  }
  for (int k = 0; k <= log_terms<Scalar>; ++k) series.log[k] = static_cast<Scalar>(1.0 / (2 * k + 1));
  return series;
}
template <class Scalar>
inline constexpr Series<Scalar> series = make_series<Scalar>();

/// eˣ = power + power·rest with power = 2ⁿ and rest = eʳ − 1, |r| ≤ ½ ln 2.
template <class Scalar>
struct SplitExponential {
  Scalar power, rest;
};

template <class Scalar>
MBLL_INLINE SplitExponential<Scalar> split_exponential(Scalar x) {
  constexpr bool single = std::is_same_v<Scalar, float>;
  using Bits = std::conditional_t<single, std::int32_t, std::int64_t>;
  constexpr Scalar lowest = single ? Scalar(-87.3) : Scalar(-708.3);
  constexpr Scalar highest = single ? Scalar(88.7) : Scalar(709.7);
  constexpr Scalar log2_e = Scalar(1.44269504088896340736);
  // ln 2 in two parts, the first with trailing zeros: n·high is exact (Cody and Waite).
  constexpr Scalar ln2_high = single ? Scalar(0.693359375) : Scalar(6.93145751953125e-1);
  constexpr Scalar ln2_low = single ? Scalar(-2.12194440054690583e-4) : Scalar(1.42860682030941723212e-6);
  // Adding 1.5·2^(mantissa bits) rounds to an integer, which then stands in the low bits.
  constexpr Scalar rounder = single ? Scalar(12582912.0) : Scalar(6755399441055744.0);
  constexpr int mantissa = single ? 23 : 52;
  constexpr Bits bias = single ? 127 : 1023;

  x = x < lowest ? lowest : x;  // in this order NaN stays NaN
  x = x > highest ? highest : x;
  const Scalar shifted = x * log2_e + rounder;
  const Scalar n = shifted - rounder;
  const Scalar r = (x - n * ln2_high) - n * ln2_low;
  Scalar tail = series<Scalar>.exp[exp_terms<Scalar>];
#pragma GCC unroll 16
  for (int k = exp_terms<Scalar> - 1; k >= 2; --k) tail = tail * r + series<Scalar>.exp[k];
  const Bits exponent = std::bit_cast<Bits>(shifted) - std::bit_cast<Bits>(rounder) + bias;
  return {std::bit_cast<Scalar>(static_cast<Bits>(exponent << mantissa)), r + r * r * tail};
}

template <class Scalar>
MBLL_INLINE Scalar exp_of(Scalar x) {
  const SplitExponential<Scalar> e = split_exponential(x);
  return e.power + e.power * e.rest;
}

/// ln(1 + e) for 0 ≤ e ≤ 1, as 2 artanh(e/(2+e)).
template <class Scalar>
MBLL_INLINE Scalar log1p_of(Scalar e) {
  const Scalar s = e / (2 + e);
  const Scalar square = s * s;
  Scalar tail = series<Scalar>.log[log_terms<Scalar>];
#pragma GCC unroll 16
  for (int k = log_terms<Scalar> - 1; k >= 1; --k) tail = tail * square + series<Scalar>.log[k];
  return 2 * s + 2 * s * square * tail;
}

template <class Scalar>
struct Sigmoid {
  Scalar value, e;  ///< e = exp(−|z|)
};
template <class Scalar>
MBLL_INLINE Sigmoid<Scalar> sigmoid(Scalar z) {
  const Scalar e = exp_of(-std::abs(z));
  const Scalar positive = 1 / (1 + e);
  return {z < 0 ? e * positive : positive, e};
}

template <class Scalar>
struct Value {
  Scalar f, derivative;
};

template <Activation activation, class Scalar>
MBLL_INLINE Value<Scalar> evaluate(Scalar z) {
  if constexpr (activation == Activation::leaky_relu) {
    const Scalar slope = z > 0 ? Scalar(1) : Scalar(0.01);
    return {z * slope, slope};
  } else if constexpr (activation == Activation::relu) {
    const Scalar slope = z > 0 ? Scalar(1) : Scalar(0);
    return {z * slope, slope};
  } else if constexpr (activation == Activation::softplus) {
    const Sigmoid<Scalar> s = sigmoid(z);
    return {(z > 0 ? z : Scalar(0)) + log1p_of(s.e), s.value};
  } else if constexpr (activation == Activation::tanh) {
    const SplitExponential<Scalar> e = split_exponential(-2 * std::abs(z));
    const Scalar minus = e.power * e.rest + (e.power - 1);  // e^(−2|z|) − 1 without cancellation
    const Scalar size = -minus / (2 + minus);
    return {z < 0 ? -size : size, 1 - size * size};
  } else if constexpr (activation == Activation::silu) {
    const Sigmoid<Scalar> s = sigmoid(z);
    return {z * s.value, s.value * (1 + z * (1 - s.value))};
  } else {
    constexpr Scalar scale = Scalar(1.59576912160573071176);  // 2√(2/π)
    constexpr Scalar cubic = Scalar(0.044715);
    const Scalar square = z * z;
    const Sigmoid<Scalar> s = sigmoid(scale * z * (1 + cubic * square));
    const Scalar slope = scale * (1 + 3 * cubic * square);
    return {z * s.value, s.value * (1 + z * (1 - s.value) * slope)};
  }
}

template <Activation activation, class Scalar>
MBLL_INLINE void activate_columns(Index rows, Index n, const Scalar* __restrict bias, Scalar* __restrict z,
                                  Scalar* __restrict derivative) {
  for (Index j = 0; j < n; ++j, z += rows)
    if (derivative == nullptr) {
      for (Index i = 0; i < rows; ++i) z[i] = evaluate<activation>(z[i] + bias[i]).f;
    } else {
      for (Index i = 0; i < rows; ++i) {
        const Value<Scalar> value = evaluate<activation>(z[i] + bias[i]);
        z[i] = value.f;
        derivative[i] = value.derivative;
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
  for (Index i = 0; i < n; ++i) x[i] = exp_of(x[i]);
}

/// Sixteen partial sums: a plain loop would have to add in order and could not use vector registers.
template <class Scalar>
MBLL_INLINE Scalar square_sum(Index n, const Scalar* x) {
  constexpr Index width = 4 * lanes<Scalar>;
  typedef Scalar Vector __attribute__((vector_size(32)));
  Vector sum[4] = {};
  Index i = 0;
  for (; i + width <= n; i += width)
    for (Index part = 0; part < 4; ++part) {
      Vector value;
      std::memcpy(&value, x + i + part * lanes<Scalar>, sizeof value);
      sum[part] += value * value;
    }
  Scalar total = 0;
  for (; i < n; ++i) total += x[i] * x[i];
  const Vector all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
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
