#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "mbll/nn/loss.hpp"
#include "mbll/nn/network.hpp"

/// A density network written down in the plainest way: one sample at a time, from the saved parameters, with
/// the standard library's functions.
namespace mbll::nn::reference {

inline double activate(Activation f, double z) {
  switch (f) {
    case Activation::leaky_relu:
      return z > 0 ? z : 0.01 * z;
    case Activation::relu:
      return z > 0 ? z : 0;
    case Activation::softplus:
      return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z));
    case Activation::tanh:
      return std::tanh(z);
    case Activation::silu:
      return z / (1 + std::exp(-z));
    case Activation::gelu:
      return 0.5 * z * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z)));
  }
  return 0;
}

/// The parameters by name, in the documented order.
struct Weights {
  std::vector<Matrix> W;
  std::vector<Vector> b;
  Matrix mean;  // h×p
  Vector log_variance, mean_bias;
  double log_variance_bias = 0;

  Weights(const NetworkSpec& spec, const Vector& parameters) {
    const double* next = parameters.data();
    const auto take = [&](Index rows, Index columns) {
      const Matrix values = Eigen::Map<const Matrix>(next, rows, columns);
      next += rows * columns;
      return values;
    };
    Index columns = spec.inputs;
    for (const Index width : spec.hidden) {
      W.push_back(take(width, columns));
      columns = width;
    }
    mean = take(columns, spec.outputs);
    log_variance = spec.variance_head ? Vector(take(columns, 1)) : Vector::Zero(columns);
    for (const Index width : spec.hidden) b.emplace_back(take(width, 1));
    mean_bias = take(spec.outputs, 1);
    log_variance_bias = *next;
  }
};

struct Output {
  Vector features, mean;
  double log_variance;
};

inline Output forward(const NetworkSpec& spec, const Weights& weights, const Vector& x) {
  Vector a = x;
  for (std::size_t l = 0; l < weights.W.size(); ++l) {
    Vector z = weights.b[l];
    for (Index i = 0; i < z.size(); ++i) {
      for (Index k = 0; k < a.size(); ++k) z[i] += weights.W[l](i, k) * a[k];
      z[i] = activate(spec.activation, z[i]);
    }
    a = z;
  }
  return {a, weights.mean.transpose().lazyProduct(a) + weights.mean_bias,
          weights.log_variance.dot(a) + weights.log_variance_bias};
}

/// σ_i^{2β} of each sample.
inline Vector beta_weights(const NetworkSpec& spec, const Weights& weights, const Matrix& X, double beta) {
  Vector result(X.cols());
  for (Index i = 0; i < X.cols(); ++i)
    result[i] = std::exp(beta * forward(spec, weights, X.col(i)).log_variance);
  return result;
}

/// ½ mean_i w_i [ p ln σ² + σ⁻² (quadratic terms) ], the formulas of loss.hpp.
inline double loss(const NetworkSpec& spec, const Weights& weights, const Matrix& X, const Matrix& Y,
                   const Loss& loss, const Vector& sample_weights) {
  double total = 0;
  const auto p = static_cast<double>(spec.outputs);
  for (Index i = 0; i < X.cols(); ++i) {
    const Output out = forward(spec, weights, X.col(i));
    double quadratic = 0;
    if (const auto* last_layer = std::get_if<LastLayerLoss>(&loss)) {
      Vector phi(out.features.size() + 1);
      phi << out.features, 1;
      const Vector e = Y.col(i) - last_layer->mean.lazyProduct(phi);
      const Matrix C = last_layer->factor.lazyProduct(last_layer->factor.transpose());
      quadratic = e.dot(last_layer->precision.lazyProduct(e)) + p * phi.dot(C.lazyProduct(phi));
    } else {
      const Vector e = Y.col(i) - out.mean;
      const Matrix& precision = std::get<DensityLoss>(loss).precision;
      quadratic = precision.size() == 0 ? e.squaredNorm() : e.dot(precision.lazyProduct(e));
    }
    total += sample_weights[i] * (p * out.log_variance + std::exp(-out.log_variance) * quadratic);
  }
  return total / (2 * static_cast<double>(X.cols()));
}

/// Central difference of fourth order in every coordinate.
template <class Function>
Vector central_differences(const Function& f, const Vector& at) {
  Vector gradient(at.size());
  for (Index i = 0; i < at.size(); ++i) {
    const double h = 1e-4;
    const auto value = [&](double shift) {
      Vector moved = at;
      moved[i] += shift;
      return f(moved);
    };
    gradient[i] = (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
  }
  return gradient;
}

inline std::vector<Index> all_samples(Index count) {
  std::vector<Index> samples(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) samples[static_cast<std::size_t>(i)] = i;
  return samples;
}

inline Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng = make_rng(seed, 77);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(rng); });
}

}  // namespace mbll::nn::reference
