#include "bayes/lapack.hpp"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

// The LAPACK routines; Eigen declares those of the BLAS.
extern "C" {
void openblas_set_num_threads(int count);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dtpqrt_(const int* m, const int* n, const int* l, const int* nb, double* a, const int* lda, double* b,
             const int* ldb, double* t, const int* ldt, double* work, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpocon_(const char* uplo, const int* n, const double* a, const int* lda, const double* anorm,
             double* rcond, double* work, int* iwork, int* info);
void dgesvj_(const char* joba, const char* jobu, const char* jobv, const int* m, const int* n, double* a,
             const int* lda, double* sva, const int* mv, double* v, const int* ldv, double* work,
             const int* lwork, int* info);
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork,
             int* info);
void dgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, double* a, const int* lda,
             double* s, double* u, const int* ldu, double* vt, const int* ldvt, double* work,
             const int* lwork, int* info);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
}

namespace mbll::lapack {
namespace {

/// Threads are ours: over blocks of samples, with results that do not depend on their number
/// (cmake/FindSerialBLAS.cmake).
[[maybe_unused]] const bool one_blas_thread = [] {
  openblas_set_num_threads(1);
  return true;
}();

constexpr double one = 1;
constexpr double zero = 0;
constexpr int unit = 1;

int to_int(Index value) { return static_cast<int>(value); }
template <class M>
int leading(const M& matrix) {
  return std::max(1, to_int(matrix.outerStride()));
}

void triangle_pentagon_qr(MatrixSpan R, MatrixSpan B, Index trapezoid, QrWorkspace& workspace) {
  assert(R.rows() == R.cols() && B.cols() == R.cols());
  const int m = to_int(B.rows());
  const int n = to_int(R.cols());
  if (m == 0 || n == 0) return;
  const int nb = std::min(n, 24);
  const int l = to_int(trapezoid);
  const int ldr = leading(R);
  const int ldb = leading(B);
  int info = 0;
  if (workspace.reflectors.rows() != nb || workspace.reflectors.cols() != n) {
    workspace.reflectors.resize(nb, n);
    workspace.work.resize(Index{nb} * n);
  }
  dtpqrt_(&m, &n, &l, &nb, R.data(), &ldr, B.data(), &ldb, workspace.reflectors.data(), &nb,
          workspace.work.data(), &info);
  assert(info == 0);
}

}  // namespace

void qr_in_place(MatrixSpan A) {
  const int m = to_int(A.rows());
  const int n = to_int(A.cols());
  if (m == 0 || n == 0) return;
  const int lda = leading(A);
  const int lwork = n * 64;
  Vector tau(std::min(m, n));
  Vector work(lwork);
  int info = 0;
  dgeqrf_(&m, &n, A.data(), &lda, tau.data(), work.data(), &lwork, &info);
  assert(info == 0);
}

void qr_append(MatrixSpan R, MatrixSpan B, QrWorkspace& workspace) {
  triangle_pentagon_qr(R, B, 0, workspace);
}

void qr_merge(MatrixSpan R, MatrixSpan B, QrWorkspace& workspace) {
  triangle_pentagon_qr(R, B, B.rows(), workspace);
}

void add_outer_product(const MatrixView& A, double beta, MatrixSpan G) {
  const int n = to_int(A.rows());
  const int k = to_int(A.cols());
  const int lda = leading(A);
  const int ldg = leading(G);
  dsyrk_("U", "N", &n, &k, &one, A.data(), &lda, &beta, G.data(), &ldg);
}

bool cholesky_in_place(MatrixSpan S) {
  const int n = to_int(S.rows());
  const int lds = leading(S);
  int info = 0;
  dpotrf_("U", &n, S.data(), &lds, &info);
  return info == 0;
}

double reciprocal_condition(const MatrixView& U, double norm) {
  const int n = to_int(U.rows());
  const int ldu = leading(U);
  Vector work(3 * n);
  std::vector<int> integer_work(static_cast<std::size_t>(n));
  double result = 0;
  int info = 0;
  dpocon_("U", &n, U.data(), &ldu, &norm, &result, work.data(), integer_work.data(), &info);
  return info == 0 ? result : 0.0;
}

void triangular_inverse_in_place(MatrixSpan T, bool lower) {
  const int n = to_int(T.rows());
  if (n == 0) return;
  const int ldt = leading(T);
  int info = 0;
  dtrtri_(lower ? "L" : "U", "N", &n, T.data(), &ldt, &info);
  assert(info == 0);
}

Svd jacobi_svd(Matrix A) {
  const int m = to_int(A.rows());
  const int n = to_int(A.cols());
  Svd result{std::move(A), Vector::Zero(n), Matrix::Identity(n, n)};
  if (result.U.isZero(0)) return result;
  const int lwork = std::max(6, m + n);
  Vector work = Vector::Zero(lwork);
  int info = 0;
  dgesvj_("G", "U", "V", &m, &n, result.U.data(), &m, result.s.data(), &n, result.W.data(), &n, work.data(),
          &lwork, &info);
  assert(info >= 0);
  result.s *= work(0);  // values are kept scaled where they would over- or underflow
  for (int k = 0; k < n; ++k)
    if (result.s(k) == 0) result.U.col(k).setZero();
  return result;
}

void multiply_transposed(const MatrixView& T, bool lower, MatrixSpan B) {
  const int n = to_int(T.rows());
  const int columns = to_int(B.cols());
  const int ldt = leading(T);
  const int ldb = leading(B);
  dtrmm_("L", lower ? "L" : "U", "T", "N", &n, &columns, &one, T.data(), &ldt, B.data(), &ldb);
}

void multiply(const MatrixView& A, const double* x, double* y) {
  const int m = to_int(A.rows());
  const int n = to_int(A.cols());
  const int lda = leading(A);
  dgemv_("N", &m, &n, &one, A.data(), &lda, x, &unit, &zero, y, &unit);
}

void multiply(const MatrixView& A, const MatrixView& B, MatrixSpan C) {
  const int m = to_int(A.rows());
  const int n = to_int(B.cols());
  const int k = to_int(A.cols());
  const int lda = leading(A);
  const int ldb = leading(B);
  const int ldc = leading(C);
  dgemm_("N", "N", &m, &n, &k, &one, A.data(), &lda, B.data(), &ldb, &zero, C.data(), &ldc);
}

void add_product_transposed(const MatrixView& A, const MatrixView& B, double beta, MatrixSpan C) {
  const int m = to_int(A.rows());
  const int n = to_int(B.rows());
  const int k = to_int(A.cols());
  const int lda = leading(A);
  const int ldb = leading(B);
  const int ldc = leading(C);
  if (n < 4) {  // dgemm copies A first, which then costs more than the product
    for (int j = 0; j < n; ++j)
      dgemv_("N", &m, &k, &one, A.data(), &lda, B.data() + j, &ldb, &beta, C.data() + Index{j} * ldc, &unit);
    return;
  }
  dgemm_("N", "T", &m, &n, &k, &one, A.data(), &lda, B.data(), &ldb, &beta, C.data(), &ldc);
}

void make_diagonal_nonnegative(MatrixSpan R) {
  for (Index i = 0; i < std::min(R.rows(), R.cols()); ++i)
    if (R(i, i) < 0) R.row(i).tail(R.cols() - i) *= -1;
}

Svd svd(Matrix A) {
  assert(A.rows() == A.cols());
  const int n = to_int(A.rows());
  Svd result{Matrix(n, n), Vector(n), Matrix(n, n)};
  if (n == 0) return result;
  const int lwork = n * (7 * n + 64);
  Vector work(lwork);
  std::vector<int> integers(8 * static_cast<std::size_t>(n));
  const Matrix copy = A;
  int info = 0;
  dgesdd_("A", &n, &n, A.data(), &n, result.s.data(), result.U.data(), &n, result.W.data(), &n, work.data(),
          &lwork, integers.data(), &info);
  if (info > 0) {
    A = copy;
    dgesvd_("A", "A", &n, &n, A.data(), &n, result.s.data(), result.U.data(), &n, result.W.data(), &n,
            work.data(), &lwork, &info);
  }
  assert(info == 0);
  result.W.transposeInPlace();
  return result;
}

SymmetricEigen symmetric_eigen(Matrix S) {
  assert(S.rows() == S.cols());
  const int n = to_int(S.rows());
  SymmetricEigen result{Vector(n), std::move(S)};
  if (n == 0) return result;
  const int lwork = 1 + 6 * n + 2 * n * n;
  const int liwork = 3 + 5 * n;
  Vector work(lwork);
  std::vector<int> integers(static_cast<std::size_t>(liwork));
  int info = 0;
  dsyevd_("V", "L", &n, result.Q.data(), &n, result.values.data(), work.data(), &lwork, integers.data(),
          &liwork, &info);
  assert(info == 0);
  return result;
}

}  // namespace mbll::lapack
