#pragma once

#include "mbll/bayes/covariance.hpp"
#include "mbll/core.hpp"

namespace mbll {

/// MT(M, Σ, Ω, n) in Gupta & Nagar's convention: a p×N random matrix with density ∝
/// |I + Σ⁻¹(T − M)Ω⁻¹(T − M)ᵀ|^{−(n + N + p − 1)/2}. It is MN(M, V, Ω) with V ~ IW(Σ, n + 2p) integrated out.
class MatrixT {
 public:
  /// Throws InvalidArgument if the sizes do not fit, M is not finite or dof ≤ 0.
  MatrixT(Matrix M /* p×N */, Covariance row_scale /* Σ, p×p */, Covariance column_scale /* Ω, N×N */,
          double dof);

  [[nodiscard]] const Matrix& mean() const { return mean_; }  ///< exists for dof > 1
  [[nodiscard]] const Covariance& row_scale() const { return rows_; }
  [[nodiscard]] const Covariance& column_scale() const { return columns_; }
  [[nodiscard]] double dof() const { return dof_; }
  /// Covariance of vec T: Ω ⊗ Σ/(n − 2), pN×pN. Throws InvalidArgument if dof ≤ 2, where it does not exist.
  [[nodiscard]] Matrix covariance() const;
  /// ln density at X, (T3) of docs/math.md. O(p²N + pN²)
  [[nodiscard]] double log_density(const MatrixView& X /* p×N */) const;
  [[nodiscard]] Matrix sample(Rng& rng) const;

 private:
  Matrix mean_;
  Covariance rows_;
  Covariance columns_;
  double dof_;
};

}  // namespace mbll
