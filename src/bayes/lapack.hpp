#pragma once

#include "mbll/core.hpp"

/// Typed wrappers over the few BLAS and LAPACK routines that the Bayesian part needs and Eigen does not offer
/// (or offers several times slower). Internal: not installed.
namespace mbll::lapack {

/// R of the QR factorisation of A (m×n), m ≥ 0: A is overwritten, its upper triangle (min(m,n)×n) is R; what
/// stands below is not. dgeqrf
void qr_in_place(MatrixSpan A);

/// Scratch space of QrUpdater-like loops, reused from block to block.
struct QrWorkspace {
  Matrix reflectors;
  Vector work;
};

/// R of the QR of [R; B] with R n×n upper triangular and B m×n dense; R is overwritten, B destroyed. dtpqrt
void qr_append(MatrixSpan R, MatrixSpan B, QrWorkspace& workspace);
/// The same for B n×n upper triangular (only its upper triangle is read). dtpqrt
void qr_merge(MatrixSpan R, MatrixSpan B, QrWorkspace& workspace);

/// Upper triangle of G gets alpha·A Aᵀ + beta·G. dsyrk
void add_outer_product(const MatrixView& A /* n×k */, double beta, MatrixSpan G /* n×n */);

/// Upper Cholesky factor U with S = Uᵀ U in place, from and to the upper triangle. False if S is not positive
/// definite. dpotrf
[[nodiscard]] bool cholesky_in_place(MatrixSpan S);
/// Reciprocal condition number (1-norm) of S = Uᵀ U, estimated. `norm` is the 1-norm of S. dpocon
[[nodiscard]] double reciprocal_condition(const MatrixView& U, double norm);

/// Inverse of a triangular matrix with a diagonal without zeros, in place; the other triangle is not touched.
/// dtrtri
void triangular_inverse_in_place(MatrixSpan T, bool lower);

/// B ← Tᵀ B for triangular T. dtrmm
void multiply_transposed(const MatrixView& T, bool lower, MatrixSpan B);
/// y ← A x, no allocation. dgemv
void multiply(const MatrixView& A, const double* x, double* y);
/// C ← A Bᵀ + beta C. dgemm, or dgemv for few columns
void add_product_transposed(const MatrixView& A, const MatrixView& B, double beta, MatrixSpan C);
/// C ← A B. dgemm
void multiply(const MatrixView& A, const MatrixView& B, MatrixSpan C);

/// A = U diag(s) Wᵀ for square A, singular values descending. dgesdd, dgesvd where that does not converge
struct Svd {
  Matrix U;
  Vector s;
  Matrix W;
};
[[nodiscard]] Svd svd(Matrix A /* n×n */);
/// The same for A m×n, m ≥ n (U m×n, W n×n), by one-sided Jacobi: small singular values of matrices with
/// badly scaled columns keep their digits, which dgesdd's do not. Columns of U that belong to zero singular
/// values are zero. dgesvj
[[nodiscard]] Svd jacobi_svd(Matrix A /* m×n */);

/// S = Q diag(values) Qᵀ for symmetric S, values ascending. dsyevd
struct SymmetricEigen {
  Vector values;
  Matrix Q;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(Matrix S /* n×n, lower triangle is read */);

/// Flips the signs of rows so that the diagonal of the upper triangular R is not negative.
void make_diagonal_nonnegative(MatrixSpan R);

}  // namespace mbll::lapack
