#include "bayes/stacked_root.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "bayes/lapack.hpp"

namespace mbll {

Matrix stacked_qr(const MatrixView& A, const MatrixView& B, Index width) {
  const Index rows = A.rows() + B.rows();
  const auto row = [&](Index i) { return i < A.rows() ? A.row(i) : B.row(i - A.rows()); };
  Vector size(rows);
  size << A.leftCols(width).cwiseAbs().rowwise().maxCoeff(),
      B.leftCols(width).cwiseAbs().rowwise().maxCoeff();
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size(a) > size(b); });
  Matrix stack(rows, A.cols());
  for (Index i = 0; i < rows; ++i) stack.row(i) = row(order[static_cast<std::size_t>(i)]);
  lapack::qr_in_place(stack);
  stack.triangularView<Eigen::StrictlyLower>().setZero();
  lapack::make_diagonal_nonnegative(stack);
  return stack;
}

void raise_diagonal(Matrix& W, const Vector& floor) { W.diagonal() = W.diagonal().cwiseMax(floor); }

Covariance covariance_of_root(Matrix A) {
  lapack::qr_in_place(A);
  A.triangularView<Eigen::StrictlyLower>().setZero();
  lapack::make_diagonal_nonnegative(A);
  return Covariance::from_factor(A.transpose());
}

Covariance add_scatter(const Covariance& S, const MatrixView& A) {
  if (A.rows() == 0) return S;
  Matrix W = stacked_qr(A, S.factor().transpose(), S.size()).topRows(S.size());
  // W_ii² = Var(i | entries before) ≥ Var(i | all others) of S alone
  raise_diagonal(W, S.precision_diagonal().cwiseSqrt().cwiseInverse());
  return Covariance::from_factor(W.transpose());
}

Covariance add_precision(const Covariance& S, const MatrixView& A) {
  if (A.rows() == 0) return S;
  Matrix T = stacked_qr(A, S.inverse_factor(), S.size()).topRows(S.size());
  raise_diagonal(T, S.diagonal().cwiseSqrt().cwiseInverse());
  return Covariance::from_precision_root(std::move(T));
}

double log_determinant_of_identity_plus(const MatrixView& A) {
  if (A.size() == 0) return 0;
  const lapack::Svd svd = lapack::jacobi_svd(A.rows() >= A.cols() ? Matrix(A) : Matrix(A.transpose()));
  double sum = 0;
  // ln(1 + s²) for s too large to be squared
  for (const double s : svd.s) sum += s > 1e100 ? 2 * std::log(s) : std::log1p(s * s);
  return sum;
}

}  // namespace mbll
