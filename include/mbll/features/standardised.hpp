#pragma once

#include "mbll/core.hpp"
#include "mbll/features/feature_map.hpp"

namespace mbll {

/// (φ_k(x) − shift_k) / scale_k: *features* of mean 0 and standard deviation 1, so that one prior variance k
/// suits all of them (scaling of the *inputs* is the data scaler's work). Shifting takes the intercept out of
/// the features: put the constant outside, WithConstant{Standardised{…}}.
struct Standardised {
  FeatureMap inner;
  Vector shift;  ///< d
  Vector scale;  ///< d, > 0

  /// Mean and standard deviation of the features over the samples X. Features that are constant there keep
  /// their values (shift 0, scale 1), so a constant feature survives. Throws InvalidArgument if X has no
  /// samples or does not fit the map. One pass over X in blocks; memory O(d).
  [[nodiscard]] static Standardised fit(FeatureMap inner, const MatrixView& X /* q×N */);

  [[nodiscard]] Index inputs() const { return inner.inputs(); }
  [[nodiscard]] Index features() const { return inner.features(); }
  /// Throws InvalidArgument unless shift and scale have one finite entry per feature and scale > 0.
  void validate() const;
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* d×N */) const;
};

}  // namespace mbll
