#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "bayes/lapack.hpp"
#include "bayes/one_point.hpp"
#include "bayes/stacked_root.hpp"
#include "mbll/bayes/posterior.hpp"
#include "mbll/error.hpp"

namespace mbll {

SharedPredictive Posterior::predict(const MatrixView& Phi, const VectorView& sigma) const {
  check::shape("Phi", Phi, features(), Phi.cols());
  check::size("sigma", sigma, Phi.cols());
  check::positive("sigma", sigma);
  Matrix mean(outputs(), Phi.cols());
  Vector epistemic_factor(Phi.cols());
  predict_into(Phi, mean, epistemic_factor);
  if (!epistemic_factor.allFinite()) check::finite("Phi", Phi);
  Covariance scale = noise_known() ? row_scale_ : row_scale_.scaled(1 / dof());
  return SharedPredictive::from_scale(std::move(mean), sigma.cwiseAbs2(), std::move(epistemic_factor),
                                      std::move(scale), dof());
}

double Posterior::predict_one(const VectorView& phi, VectorSpan mean) const {
  lapack::multiply(mean_, phi.data(), mean.data());
  const Matrix& F = C_.factor();
  return whitened_square(F.rows(), F.data(), F.outerStride(), C_.is_lower(), phi.data());
}

void Posterior::predict_into(const MatrixView& Phi, MatrixSpan mean, VectorSpan epistemic_factor) const {
  check::shape("Phi", Phi, features(), Phi.cols());
  check::shape("mean", mean, outputs(), Phi.cols());
  check::size("epistemic_factor", epistemic_factor, Phi.cols());
  constexpr Index block_points = 512;  // Phi's block stays in cache for both products
  Matrix scratch(features(), std::min(block_points, Phi.cols()));
  for (Index at = 0; at < Phi.cols(); at += block_points) {
    const Index count = std::min(block_points, Phi.cols() - at);
    MatrixSpan whitened = scratch.leftCols(count);
    whitened = Phi.middleCols(at, count);
    lapack::multiply(mean_, whitened, mean.middleCols(at, count));
    lapack::multiply_transposed(C_.factor(), C_.is_lower(), whitened);
    epistemic_factor.segment(at, count) = whitened.colwise().squaredNorm().transpose();
  }
}

JointDistribution Posterior::predict_joint(const MatrixView& Phi, const VectorView& sigma) const {
  check::shape("Phi", Phi, features(), Phi.cols());
  check::require(Phi.cols() > 0, "Phi", "has no points, expected at least one");
  check::finite("Phi", Phi);
  check::size("sigma", sigma, Phi.cols());
  check::positive("sigma", sigma);
  Matrix whitened = Phi;  // FᵀΦ, so that Φ*ᵀCΦ* = (FᵀΦ)ᵀ(FᵀΦ)
  lapack::multiply_transposed(C_.factor(), C_.is_lower(), whitened);
  const Covariance noise = Covariance::from_factor(sigma.asDiagonal());
  Covariance columns = add_scatter(noise, whitened);
  Matrix mean = mean_ * Phi;
  if (noise_known()) return MatrixNormal(std::move(mean), row_scale_, std::move(columns));
  return MatrixT(std::move(mean), row_scale_, std::move(columns), dof());
}

double Posterior::log_density_joint(const MatrixView& Phi, const VectorView& sigma,
                                    const MatrixView& Y) const {
  check::shape("Y", Y, outputs(), Phi.cols());
  check::finite("Y", Y);
  return std::visit([&](const auto& distribution) { return distribution.log_density(Y); },
                    predict_joint(Phi, sigma));
}

JointDistribution Posterior::weights() const {
  if (noise_known()) return MatrixNormal(mean_, row_scale_, C_);
  return MatrixT(mean_, row_scale_, C_, dof());
}

InverseWishart Posterior::noise() const {
  check::require(!noise_known(), "posterior", "V is known here, it has no distribution");
  return {row_scale_, nu_};
}

Vector epistemic_factor(const Covariance& C, const MatrixView& Phi) {
  check::shape("Phi", Phi, C.size(), Phi.cols());
  check::finite("Phi", Phi);
  Matrix whitened = Phi;
  lapack::multiply_transposed(C.factor(), C.is_lower(), whitened);
  return whitened.colwise().squaredNorm().transpose();
}

EpistemicSplit split_epistemic(const Covariance& K, const Posterior& posterior, const MatrixView& Phi) {
  check::require(K.size() == posterior.features(), "K", "is not of the size of the posterior's features");
  Vector prior = epistemic_factor(K, Phi);
  Vector remaining = epistemic_factor(posterior.column_covariance(), Phi);
  Vector reduction = (prior - remaining).cwiseMax(0);
  return {std::move(prior), std::move(reduction), std::move(remaining)};
}

}  // namespace mbll
