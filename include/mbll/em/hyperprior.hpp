#pragma once

#include <optional>

#include "mbll/bayes/statistics.hpp"
#include "mbll/core.hpp"

namespace mbll {

/// K ~ IW(H, ν_K): keeps K from vanishing where data would drive it to zero (eq. E2 of docs/math.md).
struct Hyperprior {
  Matrix H;       ///< d×d, symmetric positive semi-definite
  double nu = 1;  ///< ν_K ≥ 0

  /// H = I.
  static Hyperprior identity(Index features, double nu = 1);
  /// H = (ridge·I + ΦD⁻¹Φᵀ)⁻¹: the same whatever the scale of the features. O(d³)
  static Hyperprior scale_invariant(const Statistics& data, double ridge = 1e-3, double nu = 1);

  /// Throws InvalidArgument if H is not d×d, finite, symmetric and positive semi-definite, or nu < 0.
  void validate(Index features) const;
};

}  // namespace mbll
