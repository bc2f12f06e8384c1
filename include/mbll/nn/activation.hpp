#pragma once

#include <array>
#include <string_view>

namespace mbll::nn {

/// Element-wise non-linearity of the hidden layers.
enum class Activation {
  leaky_relu,  ///< max(z, 0.01 z)
  relu,        ///< max(z, 0)
  softplus,    ///< ln(1 + eᶻ)
  tanh,        ///< tanh z
  silu,        ///< z / (1 + e⁻ᶻ)
  gelu         ///< z / (1 + e^(−2u)), u = √(2/π) (z + 0.044715 z³): the tanh form
};

inline constexpr std::array all_activations{Activation::leaky_relu, Activation::relu, Activation::softplus,
                                            Activation::tanh,       Activation::silu, Activation::gelu};

/// "leaky_relu", "relu", "softplus", "tanh", "silu", "gelu".
[[nodiscard]] std::string_view name_of(Activation activation);

/// Throws InvalidArgument that lists the known names.
[[nodiscard]] Activation activation_from_name(std::string_view name);

}  // namespace mbll::nn
