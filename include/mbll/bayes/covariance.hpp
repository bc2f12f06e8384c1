#pragma once

#include "mbll/core.hpp"

namespace mbll {

/// A symmetric positive definite matrix S, held by triangular factors so that nothing is ever inverted twice:
/// S = F Fᵀ and S⁻¹ = Pᵀ P with P = F⁻¹. Built from S, or from a root P of S⁻¹ (how posteriors come out of a
/// QR). Immutable; cheap to move.
class Covariance {
 public:
  /// From the matrix. Throws InvalidArgument naming `name` if it is not square, finite, symmetric and
  /// positive definite.
  static Covariance from_matrix(const MatrixView& S /* n×n */, const char* name = "covariance");
  /// From an upper triangular P with Pᵀ P = S⁻¹ and a diagonal without zeros.
  static Covariance from_precision_root(Matrix P /* n×n upper triangular */);
  /// From a lower triangular F with F Fᵀ = S and a diagonal without zeros.
  static Covariance from_factor(Matrix F /* n×n lower triangular */);
  /// From both factors as `factor`, `inverse_factor` and `is_lower` gave them: the same bits again (model
  /// files). Throws InvalidArgument unless both are triangular n×n and their diagonals are each other's
  /// inverses.
  static Covariance from_parts(Matrix factor, Matrix inverse_factor, bool lower);
  static Covariance identity(Index n);
  static Covariance isotropic(Index n, double value, const char* name = "covariance");
  static Covariance diagonal(const VectorView& values /* n */, const char* name = "covariance");

  [[nodiscard]] Index size() const { return factor_.rows(); }
  /// F with S = F Fᵀ: triangular (lower when built from S, upper when built from a precision root).
  [[nodiscard]] const Matrix& factor() const { return factor_; }
  /// P = F⁻¹, triangular like F.
  [[nodiscard]] const Matrix& inverse_factor() const { return inverse_factor_; }
  [[nodiscard]] bool is_lower() const { return lower_; }
  [[nodiscard]] Matrix matrix() const;                              ///< S. O(n³)
  [[nodiscard]] Matrix precision() const;                           ///< S⁻¹. O(n³)
  [[nodiscard]] Vector diagonal() const;                            ///< diagonal of S. O(n²)
  [[nodiscard]] Vector precision_diagonal() const;                  ///< diagonal of S⁻¹. O(n²)
  [[nodiscard]] double trace() const;                               ///< O(n²)
  [[nodiscard]] double log_determinant() const;                     ///< ln |S|. O(n)
  [[nodiscard]] Matrix solve(const MatrixView& B /* n×m */) const;  ///< S⁻¹ B. O(n² m)
  [[nodiscard]] Matrix whiten(
      const MatrixView& B /* n×m */) const;  ///< P B: columns of covariance S become white
  /// c · S for c > 0. O(n²)
  [[nodiscard]] Covariance scaled(double c) const;
  /// diag(s) S diag(s) for s > 0: other units. O(n²)
  [[nodiscard]] Covariance rows_scaled(const VectorView& s /* n */) const;

 private:
  Covariance(Matrix factor, Matrix inverse_factor, bool lower);
  Matrix factor_;
  Matrix inverse_factor_;
  bool lower_ = true;
};

}  // namespace mbll
