#include "mbll/nn/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mbll/error.hpp"
#include "mbll/nn/kernels.hpp"
#include "nn/propagation.hpp"

namespace mbll::nn {
namespace {

/// Samples per pass: large enough for the products, small enough for the second-level cache.
constexpr Index block_size = 128;

/// Uniform in [−limit, limit] from 53 random bits; the standard's distributions differ between libraries.
double uniform(Rng& rng, double limit) {
  const double unit = static_cast<double>(rng() >> 11) * 0x1.0p-53;
  return limit * (2 * unit - 1);
}

template <class Scalar>
void load(const MatrixView& X, Index first, Index n, NetworkWorkspace<Scalar>& workspace) {
  Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>(workspace.input.data(), X.rows(), n) =
      X.middleCols(first, n).template cast<Scalar>();
}

template <class Scalar>
void store(const Array<Scalar>& source, Index stride, Index first, Index n, MatrixSpan target) {
  using Map =
      Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>, 0, Eigen::OuterStride<>>;
  target.middleCols(first, n) =
      Map(source.data(), target.rows(), n, Eigen::OuterStride<>(stride)).template cast<double>();
}

}  // namespace

template <class Scalar>
DensityNetwork<Scalar>::DensityNetwork(const NetworkSpec& spec, std::uint64_t seed)
    : spec_(spec), layout_(spec, kernels::lanes<Scalar>), values_(Array::Zero(layout_.size())) {
  Rng rng = make_rng(seed);
  const auto fill = [&](Index offset, Index size, double limit) {
    for (Index i = 0; i < size; ++i) values_[offset + i] = static_cast<Scalar>(uniform(rng, limit));
  };
  for (const ParameterLayout::Layer& layer : layout_.hidden()) {
    const auto fan_in = static_cast<double>(layer.columns);
    const auto fan_out = static_cast<double>(layer.rows);
    const double limit =
        std::sqrt(6 / (spec.initialisation == Initialisation::he ? fan_in : fan_in + fan_out));
    for (Index j = 0; j < layer.columns; ++j) fill(layer.weights + j * layer.stride, layer.rows, limit);
    fill(layer.bias, layer.rows, 1 / std::sqrt(fan_in));
  }
  const double limit = 1 / std::sqrt(static_cast<double>(features()));
  for (Index j = 0; j < spec.outputs; ++j)
    fill(layout_.head_weights() + j * layout_.feature_stride(), features(), limit);
  fill(layout_.head_bias(), spec.outputs, limit);
}

template <class Scalar>
DensityNetwork<Scalar> DensityNetwork<Scalar>::from_parameters(const NetworkSpec& spec,
                                                               const VectorView& values) {
  DensityNetwork network(spec, 0);
  network.set_parameters(values);
  return network;
}

template <class Scalar>
Vector DensityNetwork<Scalar>::parameters() const {
  Vector values(parameter_count());
  Index next = 0;
  for (const ParameterLayout::Column& column : layout_.columns()) {
    values.segment(next, column.size) = values_.segment(column.offset, column.size).template cast<double>();
    next += column.size;
  }
  return values;
}

template <class Scalar>
void DensityNetwork<Scalar>::set_parameters(const VectorView& values) {
  check::size("parameters", values, parameter_count());
  check::finite("parameters", values);
  Index next = 0;
  for (const ParameterLayout::Column& column : layout_.columns()) {
    values_.segment(column.offset, column.size) = values.segment(next, column.size).template cast<Scalar>();
    next += column.size;
  }
}

template <class Scalar>
Matrix DensityNetwork<Scalar>::mean_head() const {
  Matrix head(spec_.outputs, features() + 1);
  for (Index i = 0; i < spec_.outputs; ++i) {
    const Index column = layout_.head_weights() + i * layout_.feature_stride();
    head.row(i).head(features()) = values_.segment(column, features()).template cast<double>().transpose();
    head(i, features()) = values_[layout_.head_bias() + i];
  }
  return head;
}

template <class Scalar>
void DensityNetwork<Scalar>::features_into(const MatrixView& X, MatrixSpan features_out,
                                           Workspace& workspace) const {
  check::shape("X", X, spec_.inputs, X.cols());
  check::shape("features", features_out, features(), X.cols());
  workspace.reserve(layout_, std::min(X.cols(), block_size), false);
  for (Index first = 0; first < X.cols(); first += block_size) {
    const Index n = std::min(block_size, X.cols() - first);
    load(X, first, n, workspace);
    propagate_backbone(spec_, layout_, values_.data(), n, false, workspace);
    store(workspace.activations.back(), layout_.feature_stride(), first, n, features_out);
  }
}

template <class Scalar>
void DensityNetwork<Scalar>::forward_into(const MatrixView& X, MatrixSpan features_out, MatrixSpan mean,
                                          VectorSpan log_variance, Workspace& workspace) const {
  check::shape("X", X, spec_.inputs, X.cols());
  check::shape("features", features_out, features(), X.cols());
  check::shape("mean", mean, spec_.outputs, X.cols());
  check::size("log_variance", log_variance, X.cols());
  workspace.reserve(layout_, std::min(X.cols(), block_size), false);
  for (Index first = 0; first < X.cols(); first += block_size) {
    const Index n = std::min(block_size, X.cols() - first);
    load(X, first, n, workspace);
    propagate_backbone(spec_, layout_, values_.data(), n, false, workspace);
    propagate_heads(layout_, values_.data(), n, workspace);
    store(workspace.activations.back(), layout_.feature_stride(), first, n, features_out);
    store(workspace.heads, layout_.head_stride(), first, n, mean);
    for (Index j = 0; j < n; ++j)
      log_variance[first + j] = spec_.variance_head
                                    ? workspace.heads[j * layout_.head_stride() + spec_.outputs]
                                    : values_[layout_.log_variance_bias()];
  }
}

template <class Scalar>
Matrix DensityNetwork<Scalar>::features(const MatrixView& X) const {
  Matrix result(features(), X.cols());
  Workspace workspace;
  features_into(X, result, workspace);
  return result;
}

template <class Scalar>
NetworkOutput DensityNetwork<Scalar>::forward(const MatrixView& X) const {
  NetworkOutput output{Matrix(features(), X.cols()), Matrix(spec_.outputs, X.cols()), Vector(X.cols())};
  Workspace workspace;
  forward_into(X, output.features, output.mean, output.log_variance, workspace);
  return output;
}

template class DensityNetwork<float>;
template class DensityNetwork<double>;

}  // namespace mbll::nn
