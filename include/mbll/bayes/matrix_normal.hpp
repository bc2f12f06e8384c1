#pragma once

#include "mbll/bayes/covariance.hpp"
#include "mbll/core.hpp"

namespace mbll {

/// MN(M, V, K): a p×n random matrix X with vec X ~ N(vec M, K ⊗ V); V is the covariance between rows
/// (outputs), K between columns.
class MatrixNormal {
 public:
  /// Throws InvalidArgument if the sizes do not fit or M is not finite.
  MatrixNormal(Matrix M /* p×n */, Covariance V /* p×p */, Covariance K /* n×n */);

  [[nodiscard]] const Matrix& mean() const { return mean_; }
  [[nodiscard]] const Covariance& rows() const { return rows_; }
  [[nodiscard]] const Covariance& columns() const { return columns_; }
  /// Covariance of vec X: K ⊗ V, pn×pn. O((pn)²)
  [[nodiscard]] Matrix covariance() const;
  /// ln density at X, (N2) of docs/math.md. O(p²n + pn²)
  [[nodiscard]] double log_density(const MatrixView& X /* p×n */) const;
  [[nodiscard]] Matrix sample(Rng& rng) const;

 private:
  Matrix mean_;
  Covariance rows_;
  Covariance columns_;
};

}  // namespace mbll
