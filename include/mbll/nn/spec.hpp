#pragma once

#include <string_view>
#include <vector>

#include "mbll/core.hpp"
#include "mbll/nn/activation.hpp"

namespace mbll::nn {

enum class Initialisation { he, xavier };
[[nodiscard]] std::string_view name_of(Initialisation initialisation);
/// Throws InvalidArgument that lists the known names.
[[nodiscard]] Initialisation initialisation_from_name(std::string_view name);

/// Shape of a density network.
struct NetworkSpec {
  Index inputs = 0;                                ///< q
  std::vector<Index> hidden = {50, 50};            ///< widths; the last one is the number of features h
  Index outputs = 1;                               ///< p
  Activation activation = Activation::leaky_relu;  ///< of every hidden layer
  bool variance_head = true;                       ///< ln σ²(x) by a linear head; otherwise one constant
  double spectral_bound = 0;  ///< training keeps every hidden layer's ‖W‖₂ at or below it; 0: no bound
  Initialisation initialisation = Initialisation::he;

  /// Throws InvalidArgument if a size is not positive or there is no hidden layer.
  void validate() const;
  bool operator==(const NetworkSpec&) const = default;
};

}  // namespace mbll::nn
