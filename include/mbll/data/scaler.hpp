#pragma once

#include "mbll/core.hpp"

namespace mbll {

/// Affine map of every feature (or output) to mean 0 and standard deviation 1 (divisor N): z = (x − mean) /
/// scale. A feature that is constant, or whose spread is too small for a double, has scale 1: it becomes 0
/// and comes back unchanged. Nothing overflows on the way, up to the largest doubles. A plain value.
struct Scaler {
  Vector mean;   ///< d
  Vector scale;  ///< d, > 0

  /// Throws InvalidArgument if X has no sample or a value that is not finite. Cost O(dN).
  [[nodiscard]] static Scaler fit(const MatrixView& X /* d×N */);
  /// mean 0, scale 1.
  [[nodiscard]] static Scaler identity(Index features);

  [[nodiscard]] Index size() const { return mean.size(); }
  /// Throws InvalidArgument unless mean is finite, scale positive and both have the same size.
  void validate() const;

  /// The rest throws InvalidArgument unless the argument has `size()` rows.
  [[nodiscard]] Matrix transform(const MatrixView& X /* d×N */) const;
  [[nodiscard]] Matrix inverse(const MatrixView& Z /* d×N */) const;
  /// Standard deviations back to the units of the data.
  [[nodiscard]] Matrix inverse_std(const MatrixView& S /* d×N */) const;
  /// Σ_j ln scale_j: what to add to a negative log-density of standardised values to have it in the units of
  /// the data.
  [[nodiscard]] double log_volume() const { return scale.array().log().sum(); }
};

}  // namespace mbll
