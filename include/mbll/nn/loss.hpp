#pragma once

#include <span>
#include <variant>

#include "mbll/core.hpp"
#include "mbll/nn/network.hpp"

namespace mbll::nn {

/// Gaussian negative log-likelihood of the density network, without constants:
///   ½ mean_i [ p ln σ_i² + σ_i⁻² (y_i − μ_i)ᵀ V₀⁻¹ (y_i − μ_i) ]      (math.md, E20; with β E21)
struct DensityLoss {
  Matrix precision = Matrix();  ///< V₀⁻¹, p×p symmetric; empty: the identity
  /// β-NLL: training weighs each sample's loss by σ_i^{2β}, which is held constant in the gradient. 0: plain
  /// likelihood, 1: the mean learns as by least squares. A loss that is reported for validation is always the
  /// plain one.
  double beta = 0;
  /// Hold ln σ² where it is: with a constant ln σ² this is least squares.
  bool fixed_variance = false;
};

/// −Q₁ of the EM step for a Bayesian last layer on φ = [features; 1], whose mean Â and column covariance C =
/// F Fᵀ are frozen:
///   ½ mean_i [ p ln σ_i² + σ_i⁻² (e_iᵀ W e_i + p φ_iᵀ C φ_i) ],  e = y − Â φ      (math.md, E19)
/// Reaches the backbone and ln σ²; the mean head stays as it is.
struct LastLayerLoss {
  Matrix mean;       ///< Â, p×(h+1)
  Matrix factor;     ///< F, (h+1)×k
  Matrix precision;  ///< W, p×p symmetric: V⁻¹, or (ν'+N)(Ψ+S_y|x)⁻¹ when V is unknown
};

using Loss = std::variant<DensityLoss, LastLayerLoss>;

/// Throws InvalidArgument if a matrix of the loss does not fit the network or is not finite.
void validate(const Loss& loss, const NetworkSpec& spec);

/// Mean loss over the named samples (plain likelihood whatever β is). Throws InvalidArgument if shapes do not
/// fit or there are no samples.
template <class Scalar>
[[nodiscard]] double mean_loss(const DensityNetwork<Scalar>& network, const MatrixView& X /* q×N */,
                               const MatrixView& Y /* p×N */, std::span<const Index> samples,
                               const Loss& loss);

struct LossGradient {
  double value = 0;  ///< the loss that training minimises, β included
  Vector gradient;   ///< in the order of DensityNetwork::parameters()
};
/// Loss and gradient over the named samples as one batch.
template <class Scalar>
[[nodiscard]] LossGradient loss_gradient(const DensityNetwork<Scalar>& network, const MatrixView& X,
                                         const MatrixView& Y, std::span<const Index> samples,
                                         const Loss& loss);

}  // namespace mbll::nn
