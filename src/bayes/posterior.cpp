#include "mbll/bayes/posterior.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <utility>

#include "bayes/lapack.hpp"
#include "bayes/marginal.hpp"
#include "bayes/stacked_root.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

struct Solution {
  Matrix mean;           // Â, p×d
  Covariance C;          // d×d
  Matrix residual_root;  // S_y|x = rootᵀ root, any number of rows
  double log_omega = 0;  // ln |Ω|
};

/// One QR of [R_xx, R_xy − R_xx Mᵀ; P, 0] with PᵀP = K⁻¹. Centred on the prior mean, so that Â − M is what is
/// solved for.
Solution solve(const Matrix& M, const Covariance& K, const Statistics& data) {
  const Index d = data.features();
  const Index p = data.outputs();
  if (data.samples() == 0) return {M, K, Matrix::Zero(0, p), 0};
  Matrix from_data(d, d + p);
  from_data << data.feature_root(), data.cross_root() - data.feature_root() * M.transpose();
  Matrix from_prior = Matrix::Zero(d, d + p);
  from_prior.leftCols(d) = K.inverse_factor();
  const Matrix stack = stacked_qr(from_data, from_prior, d);

  Matrix T = stack.topLeftCorner(d, d);
  raise_diagonal(T, K.diagonal().cwiseSqrt().cwiseInverse());
  Matrix shift = stack.topRightCorner(d, p);
  T.triangularView<Eigen::Upper>().solveInPlace(shift);
  Matrix residual_root(stack.rows() - d + p, p);
  residual_root << stack.bottomRightCorner(stack.rows() - d, p), data.residual_root();
  // |Ω| = |D| |K| |K⁻¹ + ΦD⁻¹Φᵀ|
  const double log_omega = data.log_noise() + K.log_determinant() + 2 * T.diagonal().array().log().sum();
  return {M + shift.transpose(), Covariance::from_precision_root(std::move(T)), std::move(residual_root),
          log_omega};
}

void check_data(const Matrix& M, const Statistics& data) {
  check::require(data.features() == M.cols() && data.outputs() == M.rows(), "data",
                 fmt::format("has {} features and {} outputs, the prior has {} and {}", data.features(),
                             data.outputs(), M.cols(), M.rows()));
}

}  // namespace

void NormalPrior::validate() const {
  check::require(M.size() > 0, "M",
                 fmt::format("shape is {}×{}, expected outputs×features", M.rows(), M.cols()));
  check::finite("M", M);
  check::require(V.size() == M.rows(), "V", fmt::format("is {0}×{0}, expected {1}×{1}", V.size(), M.rows()));
  check::require(K.size() == M.cols(), "K", fmt::format("is {0}×{0}, expected {1}×{1}", K.size(), M.cols()));
}

void WishartPrior::validate() const {
  check::require(M.size() > 0, "M",
                 fmt::format("shape is {}×{}, expected outputs×features", M.rows(), M.cols()));
  check::finite("M", M);
  check::require(Psi.size() == M.rows(), "Psi",
                 fmt::format("is {0}×{0}, expected {1}×{1}", Psi.size(), M.rows()));
  check::require(K.size() == M.cols(), "K", fmt::format("is {0}×{0}, expected {1}×{1}", K.size(), M.cols()));
  check::require(std::isfinite(nu) && nu > 2 * static_cast<double>(M.rows()), "nu",
                 fmt::format("is {}, expected a finite number > 2p = {}", nu, 2 * M.rows()));
}

Posterior::Posterior(Matrix mean, Covariance C, Covariance row_scale, double nu, Matrix residual_scatter,
                     double log_evidence, Index samples)
    : mean_(std::move(mean)),
      C_(std::move(C)),
      row_scale_(std::move(row_scale)),
      nu_(nu),
      residual_scatter_(std::move(residual_scatter)),
      log_evidence_(log_evidence),
      samples_(samples) {}

Posterior Posterior::from_parts(Matrix mean, Covariance C, Covariance row_scale, double nu,
                                Matrix residual_scatter, double log_evidence, Index samples) {
  check::require(mean.size() > 0, "mean", "is empty, expected outputs×features");
  check::finite("mean", mean);
  check::require(C.size() == mean.cols(), "C",
                 fmt::format("is {0}×{0}, expected {1}×{1}", C.size(), mean.cols()));
  check::require(row_scale.size() == mean.rows(), "row_scale",
                 fmt::format("is {0}×{0}, expected {1}×{1}", row_scale.size(), mean.rows()));
  check::require(nu > 2 * static_cast<double>(mean.rows()), "nu",
                 fmt::format("is {}, expected > 2p = {}", nu, 2 * mean.rows()));
  check::shape("residual_scatter", residual_scatter, mean.rows(), mean.rows());
  check::require(samples >= 0, "samples", fmt::format("is {}, expected 0 or more", samples));
  return {std::move(mean), std::move(C), std::move(row_scale), nu, std::move(residual_scatter),
          log_evidence,    samples};
}

double Posterior::dof() const { return nu_ - 2 * static_cast<double>(outputs()); }

Matrix Posterior::noise_covariance() const {
  if (noise_known()) return row_scale_.matrix();
  return predict(Matrix::Zero(features(), 1), Vector::Ones(1)).row_covariance();
}

NormalPrior Posterior::as_normal_prior() const {
  check::require(noise_known(), "posterior", "V is unknown here: use as_wishart_prior");
  return {mean_, row_scale_, C_};
}

WishartPrior Posterior::as_wishart_prior() const {
  check::require(!noise_known(), "posterior", "V is known here: use as_normal_prior");
  return {mean_, C_, row_scale_, nu_};
}

Posterior condition(const NormalPrior& prior, const Statistics& data) {
  prior.validate();
  check_data(prior.M, data);
  Solution solution = solve(prior.M, prior.K, data);
  const auto N = static_cast<double>(data.samples());
  const auto p = static_cast<double>(data.outputs());
  const double trace = prior.V.whiten(solution.residual_root.transpose()).squaredNorm();
  const double log_evidence = -0.5 * (N * p * std::log(2 * std::numbers::pi) + N * prior.V.log_determinant() +
                                      p * solution.log_omega + trace);
  return {std::move(solution.mean),
          std::move(solution.C),
          prior.V,
          marginal::gaussian,
          solution.residual_root.transpose() * solution.residual_root,
          log_evidence,
          data.samples()};
}

Posterior condition(const WishartPrior& prior, const Statistics& data) {
  prior.validate();
  check_data(prior.M, data);
  Solution solution = solve(prior.M, prior.K, data);
  const auto N = static_cast<double>(data.samples());
  const auto p = static_cast<double>(data.outputs());
  Covariance row_scale = add_scatter(prior.Psi, solution.residual_root);  // Ψ + S_y|x
  const double half = 0.5 * (prior.nu - p - 1);                           // ν'/2
  const double log_growth =                                               // ln |Ψ + S_y|x| − ln |Ψ|
      log_determinant_of_identity_plus(prior.Psi.whiten(solution.residual_root.transpose()));
  const double log_evidence = marginal::log_multivariate_gamma_ratio(data.outputs(), half, 0.5 * N) -
                              0.5 * p * N * std::log(std::numbers::pi) -
                              0.5 * N * prior.Psi.log_determinant() - 0.5 * p * solution.log_omega -
                              (half + 0.5 * N) * log_growth;
  return {std::move(solution.mean),
          std::move(solution.C),
          std::move(row_scale),
          prior.nu + N,
          solution.residual_root.transpose() * solution.residual_root,
          log_evidence,
          data.samples()};
}

Posterior condition(const Posterior& prior, const Statistics& data) {
  Posterior result = prior.noise_known() ? condition(prior.as_normal_prior(), data)
                                         : condition(prior.as_wishart_prior(), data);
  result.samples_ += prior.samples_;
  return result;
}

}  // namespace mbll
