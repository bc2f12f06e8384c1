#pragma once

#include <cstdint>
#include <vector>

#include "mbll/core.hpp"
#include "mbll/nn/activation.hpp"
#include "mbll/nn/layout.hpp"
#include "mbll/nn/spec.hpp"

namespace mbll::nn {

/// Scratch space of a network: activations of one block of samples. Grows on first use, then never allocates.
/// One per thread.
template <class Scalar>
struct NetworkWorkspace {
  using Array = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// Makes room for `samples` samples, and for the derivatives that training needs.
  void reserve(const ParameterLayout& layout, Index samples, bool derivatives);

  Index capacity = 0;              ///< samples
  Array input;                     ///< q×B
  std::vector<Array> activations;  ///< per hidden layer, stride×B
  std::vector<Array> derivatives;  ///< same shapes
  Array heads;                     ///< head_stride×B: mean and, with a variance head, ln σ²
  Array product_scratch;
};

/// μ(x), ln σ²(x) and the features φ of many samples.
struct NetworkOutput {
  Matrix features;      ///< h×N, activations of the last hidden layer
  Matrix mean;          ///< p×N
  Vector log_variance;  ///< N
};

/// Multi-layer perceptron with a linear head for the mean μ(x) and one for ln σ²(x) (or a constant ln σ²) on
/// a shared backbone. A value type: copying it copies all weights. Const members are safe to call from many
/// threads, each with its own workspace. Instantiated for float (training, inference) and double (gradient
/// checks).
template <class Scalar>
class DensityNetwork {
 public:
  using Array = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Workspace = NetworkWorkspace<Scalar>;

  /// Random weights from the seed: hidden layers uniform in ±√(6/fan_in) (He) or ±√(6/(fan_in+fan_out))
  /// (Xavier), the mean head and all biases in ±1/√fan_in; ln σ² starts at 0 everywhere. Throws
  /// InvalidArgument if the spec is not valid.
  DensityNetwork(const NetworkSpec& spec, std::uint64_t seed);
  /// Restores a network from what `parameters` gave. Throws InvalidArgument if their number does not fit or
  /// one is not finite.
  static DensityNetwork from_parameters(const NetworkSpec& spec, const VectorView& values);

  [[nodiscard]] const NetworkSpec& spec() const { return spec_; }
  [[nodiscard]] Index features() const { return spec_.hidden.back(); }
  [[nodiscard]] Index parameter_count() const { return layout_.parameter_count(); }
  /// W₁ … W_L (column major), mean head (h×p), ln σ² head (h, if there is one), b₁ … b_L, mean bias (p), ln
  /// σ² bias or constant.
  [[nodiscard]] Vector parameters() const;
  void set_parameters(const VectorView& values);
  /// The mean head with its bias as last column, p×(h+1): μ = mean_head [φ; 1].
  [[nodiscard]] Matrix mean_head() const;

  /// Cost about 2·parameter_count() flops per sample; samples go through in blocks, converted to Scalar on
  /// the way.
  [[nodiscard]] Matrix features(const MatrixView& X /* q×N */) const;
  [[nodiscard]] NetworkOutput forward(const MatrixView& X /* q×N */) const;
  /// Same into the caller's memory, without allocation once the workspace has grown; a few µs for one sample.
  /// Throws InvalidArgument if a shape does not fit.
  void features_into(const MatrixView& X, MatrixSpan features /* h×N */, Workspace& workspace) const;
  void forward_into(const MatrixView& X, MatrixSpan features /* h×N */, MatrixSpan mean /* p×N */,
                    VectorSpan log_variance /* N */, Workspace& workspace) const;

  /// For training: all parameters in one vector, rows padded as `layout` says.
  [[nodiscard]] const ParameterLayout& layout() const { return layout_; }
  [[nodiscard]] const Array& padded_parameters() const { return values_; }
  void set_padded_parameters(const Array& values) { values_ = values; }

 private:
  NetworkSpec spec_;
  ParameterLayout layout_;
  Array values_;
};

extern template class DensityNetwork<float>;
extern template class DensityNetwork<double>;
extern template struct NetworkWorkspace<float>;
extern template struct NetworkWorkspace<double>;

}  // namespace mbll::nn
