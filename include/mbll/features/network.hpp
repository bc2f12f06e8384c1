#pragma once

#include <memory>

#include "mbll/core.hpp"
#include "mbll/nn/network.hpp"

namespace mbll {

/// The backbone of a trained network: φ(x) is its last hidden layer (h features, without the constant 1; see
/// WithConstant). Computed in float, as the network was trained.
struct NetworkBackbone {
  std::shared_ptr<const nn::DensityNetwork<float>> network;

  [[nodiscard]] Index inputs() const { return network->spec().inputs; }
  [[nodiscard]] Index features() const { return network->features(); }
  /// Throws InvalidArgument if there is no network.
  void validate() const;
  /// About 2 flops per weight and sample, in blocks; one workspace of the size of a block per call.
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* h×N */) const;
};

}  // namespace mbll
