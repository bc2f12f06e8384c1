#pragma once

#include <string_view>
#include <vector>

#include "mbll/core.hpp"
#include "mbll/nn/layout.hpp"

namespace mbll::nn {

enum class Method { adamw, sgd };
[[nodiscard]] std::string_view name_of(Method method);
/// Throws InvalidArgument that lists the known names.
[[nodiscard]] Method method_from_name(std::string_view name);

/// Defaults are PyTorch's. Decay is decoupled (each step first multiplies by 1 − rate·weight_decay) for both
/// methods and reaches the weights only: biases and a constant ln σ² are not decayed.
struct OptimiserOptions {
  Method method = Method::adamw;
  double rate = 1e-3;
  double weight_decay = 0.01;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  ///< AdamW
  double momentum = 0.9;                              ///< SGD: v = momentum·v + g, step −rate·v
  double clip_norm = 0;   ///< gradients longer than this are shortened to it; 0: off
  double clip_value = 0;  ///< entries of the gradient are clipped at ± this (after clip_norm); 0: off

  /// Throws InvalidArgument naming the option that is out of range.
  void validate() const;
};

/// AdamW or SGD with momentum, with clipping fused into the step.
template <class Scalar>
class Optimiser {
 public:
  using Array = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Ranges = std::vector<ParameterLayout::Range>;

  /// Steps change only the entries in `decayed` and `plain`.
  Optimiser(const OptimiserOptions& options, Index size, Ranges decayed, Ranges plain);

  /// One step at the given rate. Returns false and changes nothing if an entry of the gradient is not finite,
  /// or its square is not.
  [[nodiscard]] bool step(double rate, const Array& gradient, Array& values);
  /// Forgets all moments.
  void reset();

 private:
  void advance(const Ranges& ranges, double weight_decay, double rate, Scalar gradient_scale,
               const Array& gradient, Array& values);

  OptimiserOptions options_;
  Ranges decayed_, plain_;
  Array first_, second_;
  Index steps_ = 0;
};

extern template class Optimiser<float>;
extern template class Optimiser<double>;

}  // namespace mbll::nn
