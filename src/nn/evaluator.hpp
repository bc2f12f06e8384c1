#pragma once

#include <span>

#include "mbll/nn/loss.hpp"
#include "nn/propagation.hpp"

namespace mbll::nn {

/// Computes a loss and its gradient on batches of samples, in memory that is allocated once.
template <class Scalar>
class LossEvaluator {
 public:
  /// `capacity`: samples of the largest batch.
  LossEvaluator(const NetworkSpec& spec, const ParameterLayout& layout, const Loss& loss, Index capacity);

  /// Mean loss over a batch of at most `capacity` samples; NaN or infinite when the network's outputs are.
  double loss(const Scalar* parameters, const MatrixView& X, const MatrixView& Y,
              std::span<const Index> samples);
  /// Same, weighted by β, with its gradient in the padded layout.
  double loss_and_gradient(const Scalar* parameters, const MatrixView& X, const MatrixView& Y,
                           std::span<const Index> samples, Scalar* gradient);
  /// Mean of `loss` over any number of samples, in batches of `capacity`.
  double mean_loss(const Scalar* parameters, const MatrixView& X, const MatrixView& Y,
                   std::span<const Index> samples);
  /// Ranges of parameters that the loss reaches, weights first; `weights` of them.
  [[nodiscard]] const std::vector<ParameterLayout::Range>& reached_weights() const { return weights_; }
  [[nodiscard]] const std::vector<ParameterLayout::Range>& reached_biases() const { return biases_; }

 private:
  void load(const MatrixView& X, const MatrixView& Y, std::span<const Index> samples);
  void propagate(const Scalar* parameters, Index n, bool derivatives);
  void residuals(Index n);
  /// Loss of the batch; fills the gradients of residuals and ln σ² when asked.
  double weigh(Index n, bool gradients);
  void heads_backward(Index n, Scalar* gradient);
  void last_layer_backward(Index n);

  NetworkSpec spec_;
  ParameterLayout layout_;
  bool last_layer_ = false;
  bool fixed_variance_ = false;
  Scalar beta_ = 0;
  std::vector<ParameterLayout::Range> weights_, biases_;

  Array<Scalar> precision_;               // p×p
  Array<Scalar> factor_, factor_offset_;  // rows of Fᵀ for the features (k_stride×h) and for the constant (k)
  Array<Scalar> mean_, mean_offset_;      // Â for the features (p_stride×h) and for the constant (p)
  Index factor_columns_ = 0;

  NetworkWorkspace<Scalar> forward_;
  BackwardWorkspace<Scalar> backward_;
  Array<Scalar> targets_;                          // p×B
  Array<Scalar> residual_;                         // y − μ, p×B
  Array<Scalar> residual_gradient_;                // p_stride×B: σ⁻² W e /B, with sign of ∂L/∂μ
  Array<Scalar> spread_;                           // Fᵀφ, k_stride×B
  Array<Scalar> log_variance_, inverse_variance_;  // B
  Array<Scalar> weight_;                           // σ^{2β}, B
  Array<Scalar> log_variance_gradient_;            // B
  Array<Scalar> predicted_;                        // p_stride×B, Â φ
  Array<Scalar> feature_part_;                     // feature_stride×B
  Array<Scalar> scratch_;
};

extern template class LossEvaluator<float>;
extern template class LossEvaluator<double>;

}  // namespace mbll::nn
