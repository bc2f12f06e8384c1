#include "mbll/nn/spectral.hpp"

#include <cmath>
#include <limits>

namespace mbll::nn {
namespace {

template <class Scalar>
using WeightMap =
    Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>, 0, Eigen::OuterStride<>>;

template <class Scalar>
WeightMap<Scalar> weights_of(const ParameterLayout::Layer& layer,
                             const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& values) {
  return {values.data() + layer.weights, layer.rows, layer.columns, Eigen::OuterStride<>(layer.stride)};
}

/// Leaves a zero vector as it is.
template <class Vector>
auto normalise(Vector& v) {
  const auto norm = v.norm();
  if (norm > 0) v /= norm;
  return norm;
}

}  // namespace

template <class Scalar>
SpectralNormalisation<Scalar>::SpectralNormalisation(const ParameterLayout& layout, double bound)
    : layout_(layout), bound_(static_cast<Scalar>(bound)) {
  for (const ParameterLayout::Layer& layer : layout.hidden())
    layers_.push_back({Array(layer.rows), Array(layer.columns)});
  reset();
}

template <class Scalar>
void SpectralNormalisation<Scalar>::reset() {
  // An arbitrary start that is not orthogonal to the first singular vector of any matrix one meets.
  for (State& state : layers_) {
    for (Index i = 0; i < state.u.size(); ++i)
      state.u[i] = static_cast<Scalar>(1 + std::sin(static_cast<double>(7 * i + 1)) / 2);
    normalise(state.u);
    state.v.setZero();
    state.s = 0;
  }
}

template <class Scalar>
void SpectralNormalisation<Scalar>::apply(const Array& raw, Array& normalised, int iterations) {
  normalised = raw;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const ParameterLayout::Layer& layer = layout_.hidden()[l];
    State& state = layers_[l];
    const WeightMap<Scalar> W = weights_of(layer, raw);
    for (int i = 0; i < iterations; ++i) {
      const Scalar before = state.s;
      state.v.noalias() = W.transpose() * state.u;
      normalise(state.v);
      state.u.noalias() = W * state.v;
      state.s = normalise(state.u);
      if (i > 0 && std::abs(state.s - before) <= std::numeric_limits<Scalar>::epsilon() * state.s) break;
    }
    if (state.s > bound_) normalised.segment(layer.weights, layer.stride * layer.columns) *= bound_ / state.s;
  }
}

template <class Scalar>
void SpectralNormalisation<Scalar>::pull_back(const Array& raw, Array& gradient) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const State& state = layers_[l];
    if (!(state.s > bound_)) continue;
    const ParameterLayout::Layer& layer = layout_.hidden()[l];
    const Index size = layer.stride * layer.columns;
    const Scalar inner = gradient.segment(layer.weights, size).dot(raw.segment(layer.weights, size));
    Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>, 0, Eigen::OuterStride<>> G(
        gradient.data() + layer.weights, layer.rows, layer.columns, Eigen::OuterStride<>(layer.stride));
    // column by column: a product of vectors must not allocate
    for (Index j = 0; j < layer.columns; ++j)
      G.col(j) = (bound_ / state.s) * (G.col(j) - (inner / state.s * state.v[j]) * state.u);
  }
}

template class SpectralNormalisation<float>;
template class SpectralNormalisation<double>;

}  // namespace mbll::nn
