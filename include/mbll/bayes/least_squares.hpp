#pragma once

#include "mbll/bayes/statistics.hpp"
#include "mbll/core.hpp"

namespace mbll {

/// Weighted least squares (the maximum-likelihood last layer), for comparison, (N14) of docs/math.md: Â_D =
/// YD⁻¹Φᵀ(ΦD⁻¹Φᵀ)⁻¹. Where the features are linearly dependent on the samples, the solution of smallest norm
/// (of the features scaled to equal size) is taken and `rank` says how many directions the data determine.
struct LeastSquares {
  Matrix weights;           ///< Â_D, p×d
  Index rank = 0;           ///< of ΦD⁻¹Φᵀ; d when the solution is unique
  Matrix residual_scatter;  ///< (Y − Â_DΦ)D⁻¹(Y − Â_DΦ)ᵀ, p×p
  Matrix covariance_root;   ///< B with BᵀB = (ΦD⁻¹Φᵀ)⁺, rank×d

  [[nodiscard]] bool unique() const { return rank == weights.cols(); }
  /// φᵀ(ΦD⁻¹Φᵀ)⁺φ per point: the prediction Â_Dφ has covariance (this)·V around Aφ. Where `unique()` is
  /// false, only for points in the span of the samples. O(d²L)
  [[nodiscard]] Vector variance_factor(const MatrixView& Phi /* d×L */) const;
};

/// Cost O(d³), whatever N. Never throws for valid statistics.
[[nodiscard]] LeastSquares least_squares(const Statistics& data);

}  // namespace mbll
