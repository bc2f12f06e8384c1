#pragma once

#include <vector>

#include "mbll/core.hpp"
#include "mbll/features/feature_map.hpp"

/// Maps made of other maps. Each costs what its parts cost, and writes their features in place.
namespace mbll {

/// (φ(x), φ(−x)): twice the features, symmetric about the origin. Helps where features learned on one side of
/// the data have no counterpart on the other.
struct Mirrored {
  FeatureMap inner;

  [[nodiscard]] Index inputs() const { return inner.inputs(); }
  [[nodiscard]] Index features() const { return 2 * inner.features(); }
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* 2d×N */) const;  ///< keeps a copy of −X meanwhile
};

/// (φ₁(x), φ₂(x), …): the features of several maps of the same inputs, one below the other.
struct Concatenated {
  std::vector<FeatureMap> parts;

  [[nodiscard]] Index inputs() const { return parts.empty() ? 0 : parts.front().inputs(); }
  [[nodiscard]] Index features() const;
  /// Throws InvalidArgument if there are no parts or they differ in their number of inputs.
  void validate() const;
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* Σd×N */) const;
};

/// (φ(x), 1): the constant as last feature, so that the last layer has an intercept.
struct WithConstant {
  FeatureMap inner;

  [[nodiscard]] Index inputs() const { return inner.inputs(); }
  [[nodiscard]] Index features() const { return inner.features() + 1; }
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* (d+1)×N */) const;
};

}  // namespace mbll
