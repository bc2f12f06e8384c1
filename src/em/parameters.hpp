#pragma once

#include "mbll/bayes/covariance.hpp"
#include "mbll/bayes/posterior.hpp"
#include "mbll/em/em.hpp"

namespace mbll::em {

/// The values behind a parameter vector θ.
struct Parameters {
  Matrix M;            ///< p×d; the fixed one when it is not free
  Covariance K;        ///< d×d
  double noise_scale;  ///< σ
  Covariance Psi;      ///< p×p: Ψ, or V when it is known
};

/// Where each free parameter stands in the unconstrained vector θ that the driver works on:
/// [M | K | ln σ² | Ψ]. Positive numbers by their logarithm, full matrices by their Cholesky factor with the
/// logarithm on the diagonal, so that any θ is a valid model.
class Layout {
 public:
  Layout(Index features, Index outputs, const EmOptions& options, bool wishart);

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] bool has_mean() const { return mean_size_ > 0; }
  [[nodiscard]] bool has_noise() const { return noise_size_ > 0; }

  // Parts of θ (or of a gradient in θ).
  template <class V>
  [[nodiscard]] auto mean(V& theta) const {
    return theta.segment(0, mean_size_);
  }
  template <class V>
  [[nodiscard]] auto column(V& theta) const {
    return theta.segment(mean_size_, column_size_);
  }
  template <class V>
  [[nodiscard]] auto noise(V& theta) const {
    return theta.segment(mean_size_ + column_size_, noise_size_);
  }
  template <class V>
  [[nodiscard]] auto row(V& theta) const {
    return theta.segment(mean_size_ + column_size_ + noise_size_, row_size_);
  }

  /// θ of given values; K and Ψ are brought into their structure.
  [[nodiscard]] Vector pack(const Parameters& values) const;
  /// The values of θ; what is not free is taken from `fixed`.
  [[nodiscard]] Parameters unpack(const Vector& theta, const Parameters& fixed) const;
  /// Sum over the entries of each block of a per-feature vector: d → column_size for diagonal, isotropic and
  /// blocks.
  [[nodiscard]] Vector block_sums(const Vector& per_feature) const;
  /// Features per entry of column(θ).
  [[nodiscard]] const Vector& block_sizes() const { return block_sizes_; }
  /// Largest relative change of a parameter between two points, by norms of the values themselves.
  [[nodiscard]] double relative_change(const Vector& from, const Vector& to) const;

 private:
  Index features_, outputs_;
  ColumnStructure column_structure_;
  RowStructure row_structure_;
  Index mean_size_, column_size_, noise_size_, row_size_, size_;
  Vector block_sizes_;
};

/// Keeps θ where exp(θ) and its square are ordinary numbers.
inline constexpr double kLogLimit = 200;

/// Entries of a lower triangular matrix, column by column, logarithms on the diagonal; and back.
[[nodiscard]] Vector pack_cholesky(const Matrix& L /* n×n lower triangular, diagonal > 0 */);
[[nodiscard]] Matrix unpack_cholesky(const Vector& entries, Index n);
/// Gradient in those entries from the symmetric gradient G = ∂f/∂S, S = L Lᵀ.
[[nodiscard]] Vector cholesky_gradient(const Matrix& G, const Matrix& L);
/// Lower triangular L with L Lᵀ = BᵀB, from the rows B of any root, without forming BᵀB.
[[nodiscard]] Matrix lower_root(const Matrix& B /* m×n */);

}  // namespace mbll::em
