#include "nn/propagation.hpp"

#include <algorithm>
#include <utility>

#include "mbll/nn/kernels.hpp"

namespace mbll::nn {
namespace {

/// The padding of activations must be zero: it meets the gradient of the next layer's weights.
template <class Scalar>
void clear_padding(Index rows, Index stride, Index n, Scalar* values) {
  if (rows == stride) return;
  for (Index j = 0; j < n; ++j) std::fill(values + j * stride + rows, values + (j + 1) * stride, Scalar(0));
}

}  // namespace

template <class Scalar>
void NetworkWorkspace<Scalar>::reserve(const ParameterLayout& layout, Index samples, bool with_derivatives) {
  const std::size_t layers = layout.hidden().size();
  if (samples <= capacity && activations.size() == layers &&
      (!with_derivatives || derivatives.size() == layers))
    return;
  capacity = samples;
  input.resize(layout.inputs() * samples);
  activations.resize(layers);
  derivatives.resize(with_derivatives ? layers : 0);
  for (std::size_t l = 0; l < layers; ++l) {
    activations[l].resize(layout.hidden()[l].stride * samples);
    if (with_derivatives) derivatives[l].resize(layout.hidden()[l].stride * samples);
  }
  heads.resize(layout.head_stride() * samples);
  product_scratch.resize(kernels::scratch_size<Scalar>(std::max(layout.widest() + 1, samples)));
}

template <class Scalar>
void propagate_backbone(const NetworkSpec& spec, const ParameterLayout& layout, const Scalar* parameters,
                        Index n, bool derivatives, NetworkWorkspace<Scalar>& workspace) {
  const Scalar* below = workspace.input.data();
  Index below_stride = layout.inputs();
  for (std::size_t l = 0; l < layout.hidden().size(); ++l) {
    const ParameterLayout::Layer& layer = layout.hidden()[l];
    Scalar* z = workspace.activations[l].data();
    Scalar* derivative = derivatives ? workspace.derivatives[l].data() : nullptr;
    kernels::multiply(layer.rows, n, layer.columns, {parameters + layer.weights, layer.stride},
                      {below, 1, below_stride}, z, layer.stride, workspace.product_scratch.data());
    kernels::activate(spec.activation, layer.stride, n, parameters + layer.bias, z, derivative);
    clear_padding(layer.rows, layer.stride, n, z);
    below = z;
    below_stride = layer.stride;
  }
}

template <class Scalar>
void propagate_heads(const ParameterLayout& layout, const Scalar* parameters, Index n,
                     NetworkWorkspace<Scalar>& workspace) {
  const Index stride = layout.head_stride();
  kernels::multiply(layout.heads(), n, layout.features(),
                    {parameters + layout.head_weights(), layout.feature_stride(), true},
                    {workspace.activations.back().data(), 1, layout.feature_stride()}, workspace.heads.data(),
                    stride, workspace.product_scratch.data());
  const Scalar* bias = parameters + layout.head_bias();
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < layout.heads(); ++i) workspace.heads[j * stride + i] += bias[i];
}

template <class Scalar>
void BackwardWorkspace<Scalar>::reserve(const ParameterLayout& layout, Index samples) {
  heads.setZero(layout.head_stride() * samples);
  features.resize(layout.feature_stride() * samples);
  Index widest = 0;
  for (const ParameterLayout::Layer& layer : layout.hidden()) widest = std::max(widest, layer.stride);
  upper.resize(widest * samples);
  lower.resize(widest * samples);
}

template <class Scalar>
void propagate_back(const ParameterLayout& layout, const Scalar* parameters, Index n,
                    NetworkWorkspace<Scalar>& forward, BackwardWorkspace<Scalar>& backward,
                    Scalar* gradient) {
  const Index stride = layout.feature_stride();
  Scalar* scratch = forward.product_scratch.data();
  Scalar* upper = backward.upper.data();  // gradient with respect to this layer's activations
  Scalar* lower = backward.lower.data();  // … and the one below
  kernels::multiply(layout.features(), layout.heads(), n, {forward.activations.back().data(), stride},
                    {backward.heads.data(), layout.head_stride(), 1}, gradient + layout.head_weights(),
                    stride, scratch);
  kernels::multiply(layout.features(), n, layout.heads(), {parameters + layout.head_weights(), stride},
                    {backward.heads.data(), 1, layout.head_stride()}, upper, stride, scratch);
  if (backward.direct_features)
    Eigen::Map<Array<Scalar>>(upper, stride * n) += backward.features.head(stride * n);

  for (std::size_t l = layout.hidden().size(); l-- > 0;) {
    const ParameterLayout::Layer& layer = layout.hidden()[l];
    kernels::activate_backward(layer.stride, n, forward.derivatives[l].data(), upper, gradient + layer.bias);
    const Scalar* below = l > 0 ? forward.activations[l - 1].data() : forward.input.data();
    const Index below_stride = l > 0 ? layout.hidden()[l - 1].stride : layout.inputs();
    kernels::multiply(layer.rows, layer.columns, n, {upper, layer.stride}, {below, below_stride, 1},
                      gradient + layer.weights, layer.stride, scratch);
    if (l == 0) break;
    kernels::multiply(layer.columns, n, layer.rows, {parameters + layer.weights, layer.stride, true},
                      {upper, 1, layer.stride}, lower, below_stride, scratch);
    std::swap(upper, lower);
  }
}

template struct NetworkWorkspace<float>;
template struct BackwardWorkspace<float>;
template void propagate_backbone<float>(const NetworkSpec&, const ParameterLayout&, const float*, Index, bool,
                                        NetworkWorkspace<float>&);
template void propagate_heads<float>(const ParameterLayout&, const float*, Index, NetworkWorkspace<float>&);
template void propagate_back<float>(const ParameterLayout&, const float*, Index, NetworkWorkspace<float>&,
                                    BackwardWorkspace<float>&, float*);

template struct NetworkWorkspace<double>;
template struct BackwardWorkspace<double>;
template void propagate_backbone<double>(const NetworkSpec&, const ParameterLayout&, const double*, Index,
                                         bool, NetworkWorkspace<double>&);
template void propagate_heads<double>(const ParameterLayout&, const double*, Index,
                                      NetworkWorkspace<double>&);
template void propagate_back<double>(const ParameterLayout&, const double*, Index, NetworkWorkspace<double>&,
                                     BackwardWorkspace<double>&, double*);

}  // namespace mbll::nn
