#pragma once

#include "mbll/nn/network.hpp"

/// Forward and backward passes over one block of samples whose inputs stand in the workspace.
namespace mbll::nn {

template <class Scalar>
using Array = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

/// Fills activations (and derivatives) of the first n samples.
template <class Scalar>
void propagate_backbone(const NetworkSpec& spec, const ParameterLayout& layout, const Scalar* parameters,
                        Index n, bool derivatives, NetworkWorkspace<Scalar>& workspace);
/// Fills the heads from the last activations.
template <class Scalar>
void propagate_heads(const ParameterLayout& layout, const Scalar* parameters, Index n,
                     NetworkWorkspace<Scalar>& workspace);

/// Gradients of activations on the way back.
template <class Scalar>
struct BackwardWorkspace {
  void reserve(const ParameterLayout& layout, Index samples);

  Array<Scalar> heads;     ///< head_stride×B, by the loss: ∂L/∂(μ, ln σ²)
  Array<Scalar> features;  ///< feature_stride×B, by the loss where it depends on the features directly
  bool direct_features = false;
  Array<Scalar> upper, lower;  ///< widest stride×B
};

/// From ∂L/∂heads (and ∂L/∂features) to the gradient of all parameters except the biases of the heads.
template <class Scalar>
void propagate_back(const ParameterLayout& layout, const Scalar* parameters, Index n,
                    NetworkWorkspace<Scalar>& forward, BackwardWorkspace<Scalar>& backward, Scalar* gradient);

}  // namespace mbll::nn
