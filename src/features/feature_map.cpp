#include "mbll/features/feature_map.hpp"

#include <fmt/format.h>

#include "mbll/error.hpp"

namespace mbll {

void FeatureMap::set_sizes(Index inputs, Index features) {
  check::require(inputs > 0, "feature map", fmt::format("has {} inputs, expected at least 1", inputs));
  check::require(features > 0, "feature map", fmt::format("has {} features, expected at least 1", features));
  inputs_ = inputs;
  features_ = features;
}

void FeatureMap::map(const MatrixView& X, MatrixSpan Phi) const {
  check::require(X.rows() == inputs_, "X",
                 fmt::format("has {} rows (inputs), the feature map takes {}", X.rows(), inputs_));
  check::shape("Phi", Phi, features_, X.cols());
  check::finite("X", X);
  held_->map(X, Phi);
}

Matrix FeatureMap::operator()(const MatrixView& X) const {
  Matrix Phi(features_, X.cols());
  map(X, Phi);
  return Phi;
}

}  // namespace mbll
