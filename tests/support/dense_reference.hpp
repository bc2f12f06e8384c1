#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/KroneckerProduct>

#include "mbll/core.hpp"

/// The model written out on vec A and vec Y with Kronecker products and plain multivariate normals: slow and
/// obviously right. Columns are stacked: vec(AΦ) = (Φᵀ ⊗ I) vec A.
namespace mbll::dense {

inline Matrix kronecker(const Matrix& A, const Matrix& B) { return Eigen::kroneckerProduct(A, B); }
inline Vector vec(const Matrix& A) { return A.reshaped(); }

/// ln N(x; mean, S)
inline double log_normal(const Vector& x, const Vector& mean, const Matrix& S) {
  const Eigen::LLT<Matrix> cholesky(S);
  const Vector white = cholesky.matrixL().solve(x - mean);
  return -0.5 * (static_cast<double>(x.size()) * std::log(2 * std::numbers::pi) + white.squaredNorm()) -
         cholesky.matrixLLT().diagonal().array().log().sum();
}

/// ln of the multivariate Student t density with scale matrix S.
inline double log_student(const Vector& x, const Vector& mean, const Matrix& S, double dof) {
  const Eigen::LLT<Matrix> cholesky(S);
  const Vector white = cholesky.matrixL().solve(x - mean);
  const auto n = static_cast<double>(x.size());
  return std::lgamma(0.5 * (dof + n)) - std::lgamma(0.5 * dof) - 0.5 * n * std::log(dof * std::numbers::pi) -
         cholesky.matrixLLT().diagonal().array().log().sum() -
         0.5 * (dof + n) * std::log1p(white.squaredNorm() / dof);
}

/// y = Aφ + σε, ε ~ N(0, U), vec A ~ N(vec M, K ⊗ V).
struct Model {
  Matrix M;  // p×d
  Matrix U;  // p×p
  Matrix V;  // p×p
  Matrix K;  // d×d

  [[nodiscard]] Matrix design(const Matrix& Phi) const {
    return kronecker(Phi.transpose(), Matrix::Identity(M.rows(), M.rows()));
  }
  [[nodiscard]] Matrix noise(const Vector& sigma) const {
    return kronecker(Matrix(sigma.cwiseAbs2().asDiagonal()), U);
  }
  [[nodiscard]] Matrix evidence_covariance(const Matrix& Phi, const Vector& sigma) const {
    const Matrix H = design(Phi);
    return H * kronecker(K, V) * H.transpose() + noise(sigma);
  }
  [[nodiscard]] double log_evidence(const Matrix& Phi, const Matrix& Y, const Vector& sigma) const {
    return log_normal(vec(Y), vec(M * Phi), evidence_covariance(Phi, sigma));
  }

  struct Posterior {
    Vector mean;        // of vec A
    Matrix covariance;  // of vec A
  };
  /// Conditioning of one multivariate normal on the other.
  [[nodiscard]] Posterior posterior(const Matrix& Phi, const Matrix& Y, const Vector& sigma) const {
    const Matrix H = design(Phi);
    const Matrix prior = kronecker(K, V);
    const Eigen::LLT<Matrix> S(evidence_covariance(Phi, sigma));
    const Matrix gain = S.solve(H * prior).transpose();
    return {vec(M) + gain * (vec(Y) - vec(M * Phi)), prior - gain * H * prior};
  }
};

}  // namespace mbll::dense
