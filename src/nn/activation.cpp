#include "mbll/nn/activation.hpp"

#include <fmt/format.h>

#include <string>

#include "mbll/error.hpp"

namespace mbll::nn {

std::string_view name_of(Activation activation) {
  switch (activation) {
    case Activation::leaky_relu:
      return "leaky_relu";
    case Activation::relu:
      return "relu";
    case Activation::softplus:
      return "softplus";
    case Activation::tanh:
      return "tanh";
    case Activation::silu:
      return "silu";
    case Activation::gelu:
      return "gelu";
  }
  return "unknown";
}

Activation activation_from_name(std::string_view name) {
  std::string known;
  for (const Activation activation : all_activations) {
    if (name == name_of(activation)) return activation;
    known += known.empty() ? "" : ", ";
    known += name_of(activation);
  }
  throw InvalidArgument(fmt::format("activation: is '{}', expected one of {}", name, known));
}

}  // namespace mbll::nn
