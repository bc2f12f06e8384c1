#pragma once

#include "mbll/bayes/covariance.hpp"
#include "mbll/core.hpp"

/// Sums of Gram matrices without forming them: AᵀA + BᵀB by one QR of [A; B]. Internal.
namespace mbll {

/// R of the QR of [A; B], rows(A) + rows(B) by columns, upper triangular with a diagonal ≥ 0. Rows go in by
/// size, the large ones first: Householder's QR is then accurate row by row, so that a weak prior keeps its
/// digits beside strong data and the other way round. `width` columns decide about the order; those beyond it
/// (right-hand sides) are carried along.
[[nodiscard]] Matrix stacked_qr(const MatrixView& A, const MatrixView& B, Index width);

/// W_ii² can only grow with every Gram matrix that is added to WᵀW; `floor` is a lower bound of W_ii from one
/// of the parts. Without this, rounding could leave a zero where features are collinear and the prior is
/// weaker than the rounding errors of the data.
void raise_diagonal(Matrix& W, const Vector& floor);

/// The covariance AᵀA of an invertible square A.
[[nodiscard]] Covariance covariance_of_root(Matrix A /* n×n */);
/// The covariance S + AᵀA, S by its factor.
[[nodiscard]] Covariance add_scatter(const Covariance& S /* n×n */, const MatrixView& A /* m×n */);
/// The covariance (AᵀA + PᵀP)⁻¹ for S = (PᵀP)⁻¹.
[[nodiscard]] Covariance add_precision(const Covariance& S /* n×n */, const MatrixView& A /* m×n */);

/// ln |I + AᵀA|, exact to the last digits for small A too.
[[nodiscard]] double log_determinant_of_identity_plus(const MatrixView& A /* m×n */);

}  // namespace mbll
