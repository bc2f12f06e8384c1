#include "mbll/bayes/covariance.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <utility>

#include "bayes/lapack.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

void check_symmetric(const char* name, const MatrixView& S) {
  for (Index j = 0; j < S.cols(); ++j)
    for (Index i = 0; i < j; ++i) {
      // Relative to the diagonal: what a correlation of 1 would give in this place.
      const double scale = std::sqrt(std::abs(S(i, i))) * std::sqrt(std::abs(S(j, j)));
      const double larger = std::max(std::abs(S(i, j)), std::abs(S(j, i)));
      if (std::abs(S(i, j) - S(j, i)) > 1e-8 * std::max(scale, larger))
        throw InvalidArgument(fmt::format("{}: is not symmetric, entries ({}, {}) and ({}, {}) are {} and {}",
                                          name, i, j, j, i, S(i, j), S(j, i)));
    }
}

void check_triangular(const char* name, const Matrix& T, bool lower) {
  check::require(T.rows() == T.cols(), name,
                 fmt::format("shape is {}×{}, expected a square matrix", T.rows(), T.cols()));
  check::finite(name, T);
  for (Index i = 0; i < T.rows(); ++i)
    if (T(i, i) == 0)
      throw InvalidArgument(
          fmt::format("{}: diagonal entry {} is zero, expected an invertible triangle", name, i));
  for (Index j = 0; j < T.cols(); ++j)
    for (Index i = 0; i < T.rows(); ++i)
      if ((lower ? i < j : i > j) && T(i, j) != 0)
        throw InvalidArgument(fmt::format("{}: entry ({}, {}) is {}, expected {} triangular", name, i, j,
                                          T(i, j), lower ? "lower" : "upper"));
}

Matrix inverse_of_triangle(Matrix T, bool lower) {
  lapack::triangular_inverse_in_place(T, lower);
  return T;
}

}  // namespace

Covariance::Covariance(Matrix factor, Matrix inverse_factor, bool lower)
    : factor_(std::move(factor)), inverse_factor_(std::move(inverse_factor)), lower_(lower) {}

Covariance Covariance::from_matrix(const MatrixView& S, const char* name) {
  check::require(S.rows() == S.cols() && S.rows() > 0, name,
                 fmt::format("shape is {}×{}, expected a square matrix", S.rows(), S.cols()));
  check::finite(name, S);
  const Index n = S.rows();
  Vector root(n);
  for (Index i = 0; i < n; ++i) {
    if (!(S(i, i) > 0))
      throw InvalidArgument(
          fmt::format("{}: is not positive definite, diagonal entry {} is {}", name, i, S(i, i)));
    root(i) = std::sqrt(S(i, i));
  }
  check_symmetric(name, S);
  // The Cholesky factorisation is done on the correlations, so that units of 1e±100 neither overflow nor
  // matter.
  Matrix correlation(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i)
      correlation(i, j) = 0.5 * (S(i, j) / root(i) / root(j) + S(j, i) / root(j) / root(i));
  correlation.diagonal().setOnes();
  check::require(lapack::cholesky_in_place(correlation), name, "is not positive definite");
  Matrix factor = Matrix::Zero(n, n);
  factor.triangularView<Eigen::Lower>() = correlation.transpose();
  Matrix inverse_factor = inverse_of_triangle(factor, true);
  return {root.asDiagonal() * factor, inverse_factor * root.cwiseInverse().asDiagonal(), true};
}

Covariance Covariance::from_precision_root(Matrix P) {
  check_triangular("precision root", P, false);
  Matrix factor = inverse_of_triangle(P, false);
  return {std::move(factor), std::move(P), false};
}

Covariance Covariance::from_factor(Matrix F) {
  check_triangular("covariance factor", F, true);
  Matrix inverse_factor = inverse_of_triangle(F, true);
  return {std::move(F), std::move(inverse_factor), true};
}

Covariance Covariance::from_parts(Matrix factor, Matrix inverse_factor, bool lower) {
  check_triangular("covariance factor", factor, lower);
  check_triangular("inverse covariance factor", inverse_factor, lower);
  check::shape("inverse covariance factor", inverse_factor, factor.rows(), factor.rows());
  for (Index i = 0; i < factor.rows(); ++i)
    if (!(std::abs(factor(i, i) * inverse_factor(i, i) - 1) < 1e-6))
      throw InvalidArgument(
          fmt::format("inverse covariance factor: diagonal entry {} is {}, the factor has {} there", i,
                      inverse_factor(i, i), factor(i, i)));
  return {std::move(factor), std::move(inverse_factor), lower};
}

Covariance Covariance::identity(Index n) { return {Matrix::Identity(n, n), Matrix::Identity(n, n), true}; }

Covariance Covariance::isotropic(Index n, double value, const char* name) {
  check::positive(name, value);
  return {std::sqrt(value) * Matrix::Identity(n, n), (1 / std::sqrt(value)) * Matrix::Identity(n, n), true};
}

Covariance Covariance::diagonal(const VectorView& values, const char* name) {
  check::positive(name, values);
  return {values.cwiseSqrt().asDiagonal(), values.cwiseSqrt().cwiseInverse().asDiagonal(), true};
}

Matrix Covariance::matrix() const {
  Matrix S = factor_;
  if (lower_)
    S = factor_.triangularView<Eigen::Lower>() * factor_.transpose();
  else
    S = factor_.triangularView<Eigen::Upper>() * factor_.transpose();
  S.triangularView<Eigen::StrictlyLower>() = S.transpose();
  return S;
}

Matrix Covariance::precision() const {
  Matrix S = inverse_factor_;
  lapack::multiply_transposed(inverse_factor_, lower_, S);
  S.triangularView<Eigen::StrictlyLower>() = S.transpose();
  return S;
}

Vector Covariance::diagonal() const { return factor_.rowwise().squaredNorm(); }

Vector Covariance::precision_diagonal() const { return inverse_factor_.colwise().squaredNorm().transpose(); }

double Covariance::trace() const { return factor_.squaredNorm(); }

double Covariance::log_determinant() const { return 2 * factor_.diagonal().array().abs().log().sum(); }

Matrix Covariance::solve(const MatrixView& B) const {
  Matrix X = whiten(B);
  lapack::multiply_transposed(inverse_factor_, lower_, X);
  return X;
}

Matrix Covariance::whiten(const MatrixView& B) const {
  check::shape("B", B, size(), B.cols());
  Matrix X(B.rows(), B.cols());
  if (B.cols() == 0) return X;  // Eigen would refer to its first entry
  if (lower_)
    X.noalias() = inverse_factor_.triangularView<Eigen::Lower>() * B;
  else
    X.noalias() = inverse_factor_.triangularView<Eigen::Upper>() * B;
  return X;
}

Covariance Covariance::scaled(double c) const {
  check::positive("c", c);
  return {std::sqrt(c) * factor_, inverse_factor_ / std::sqrt(c), lower_};
}

Covariance Covariance::rows_scaled(const VectorView& s) const {
  check::size("s", s, size());
  check::positive("s", s);
  return {s.asDiagonal() * factor_, inverse_factor_ * s.cwiseInverse().asDiagonal(), lower_};
}

}  // namespace mbll
