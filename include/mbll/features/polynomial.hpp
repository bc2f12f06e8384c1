#pragma once

#include "mbll/core.hpp"

namespace mbll {

/// Monomials: φ_k(x) = Π_j x_j^exponents(j, k). The constant is not among them unless listed; see
/// WithConstant.
struct Polynomial {
  using Exponents = Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic>;
  Exponents exponents;  ///< q×d, one column per feature

  /// All monomials of total degree 1 … degree, or only the powers of single inputs when `cross_terms` is
  /// false, by rising degree (x₁, x₂, x₁², x₁x₂, x₂², …). Throws InvalidArgument for fewer than one input or
  /// degree, and for more than 10⁶ features.
  [[nodiscard]] static Polynomial of_degree(Index inputs, int degree, bool cross_terms = true);

  [[nodiscard]] Index inputs() const { return exponents.rows(); }
  [[nodiscard]] Index features() const { return exponents.cols(); }
  /// Throws InvalidArgument if an exponent is negative or above 1000.
  void validate() const;
  /// One multiplication per factor of each monomial and sample, after a pass over the exponents.
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* d×N */) const;
};

}  // namespace mbll
