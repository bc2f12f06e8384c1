#include "mbll/features/network.hpp"

#include "mbll/error.hpp"

namespace mbll {

void NetworkBackbone::validate() const { check::require(network != nullptr, "network", "is null"); }

void NetworkBackbone::map(const MatrixView& X, MatrixSpan Phi) const {
  nn::NetworkWorkspace<float> workspace;
  network->features_into(X, Phi, workspace);
}

}  // namespace mbll
