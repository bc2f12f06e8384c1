#include "mbll/bayes/unrelated.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/KroneckerProduct>
#include <utility>

#include "bayes/lapack.hpp"
#include "mbll/error.hpp"

namespace mbll {

void UnrelatedPrior::validate() const {
  check::require(M.size() > 0, "M",
                 fmt::format("shape is {}×{}, expected outputs×features", M.rows(), M.cols()));
  check::finite("M", M);
  check::require(U.size() == M.rows(), "U", fmt::format("is {0}×{0}, expected {1}×{1}", U.size(), M.rows()));
  check::require(V.size() == M.rows(), "V", fmt::format("is {0}×{0}, expected {1}×{1}", V.size(), M.rows()));
  check::require(K.size() == M.cols(), "K", fmt::format("is {0}×{0}, expected {1}×{1}", K.size(), M.cols()));
}

UnrelatedPosterior::UnrelatedPosterior(const UnrelatedPrior& prior, const Statistics& data) {
  prior.validate();
  const Index d = prior.M.cols();
  const Index p = prior.M.rows();
  check::require(data.features() == d && data.outputs() == p, "data",
                 fmt::format("has {} features and {} outputs, the prior has {} and {}", data.features(),
                             data.outputs(), d, p));
  // Both eigenproblems as singular values of roots: nothing is squared, small λ and μ keep their digits.
  const lapack::Svd rows = lapack::jacobi_svd(prior.U.whiten(prior.V.factor()));
  const lapack::Svd columns = lapack::jacobi_svd(data.feature_root() * prior.K.factor());
  RotatedMoments& r = rotated_;
  r.W = prior.U.inverse_factor().transpose() * rows.U;
  r.W_inverse_t = prior.U.factor() * rows.U;
  r.lambda = rows.s.cwiseAbs2();
  r.mu = columns.s.cwiseAbs2();
  r.column_basis = prior.K.factor() * columns.W;

  // E = Y − MΦ has the root [R_xy − R_xx Mᵀ; R_yy]; its rotated parts along the left singular vectors and off
  // them:
  const Matrix residual = (data.cross_root() - data.feature_root() * prior.M.transpose()) * r.W;  // d×p
  const Matrix along = columns.U.transpose() * residual;                                          // d×p
  const Matrix off = residual - columns.U * along;
  r.mean.resize(p, d);
  r.variance.resize(p, d);
  r.residual_square = off.colwise().squaredNorm().transpose() +
                      (data.residual_root() * r.W).colwise().squaredNorm().transpose();
  double log_shrinkage = 0;  // Σ ln(1 + λ_jμ_k)
  for (Index k = 0; k < d; ++k)
    for (Index j = 0; j < p; ++j) {
      const double gain = 1 + r.lambda(j) * r.mu(k);
      r.variance(j, k) = r.lambda(j) / gain;
      r.mean(j, k) = along(k, j) * columns.s(k) * r.variance(j, k);
      r.residual_square(j) += along(k, j) * along(k, j) / gain;
      log_shrinkage += std::log1p(r.lambda(j) * r.mu(k));
    }
  mean_ = prior.M + r.W_inverse_t * r.mean * r.column_basis.transpose();
  const auto N = static_cast<double>(data.samples());
  const auto outputs = static_cast<double>(p);
  log_evidence_ = -0.5 * (N * outputs * std::log(2 * std::numbers::pi) + N * prior.U.log_determinant() +
                          outputs * data.log_noise() + log_shrinkage + r.residual_square.sum());
}

Matrix UnrelatedPosterior::covariance() const {
  const Matrix basis = Eigen::kroneckerProduct(rotated_.column_basis, rotated_.W_inverse_t);
  return basis * rotated_.variance.reshaped().asDiagonal() * basis.transpose();
}

UnrelatedPredictive UnrelatedPosterior::predict(const MatrixView& Phi, const VectorView& sigma) const {
  check::shape("Phi", Phi, mean_.cols(), Phi.cols());
  check::finite("Phi", Phi);
  check::size("sigma", sigma, Phi.cols());
  check::positive("sigma", sigma);
  const Matrix squares = (rotated_.column_basis.transpose() * Phi).cwiseAbs2();  // d×L
  return {mean_ * Phi, sigma.cwiseAbs2(), rotated_.variance * squares, rotated_.W, rotated_.W_inverse_t};
}

}  // namespace mbll
