#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "bayes/lapack.hpp"
#include "bayes/marginal.hpp"
#include "bayes/random_matrix.hpp"
#include "bayes/stacked_root.hpp"
#include "mbll/bayes/unrelated.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {}  // namespace

UnrelatedPredictive::UnrelatedPredictive(Matrix mean, Vector sigma_square, Matrix epistemic, Matrix W,
                                         Matrix W_inverse_t)
    : mean_(std::move(mean)),
      sigma_square_(std::move(sigma_square)),
      epistemic_(std::move(epistemic)),
      W_(std::move(W)),
      W_inverse_t_(std::move(W_inverse_t)) {
  const Index p = mean_.rows();
  check::size("sigma_square", sigma_square_, mean_.cols());
  check::positive("sigma_square", sigma_square_);
  check::shape("epistemic", epistemic_, p, mean_.cols());
  check::finite("epistemic", epistemic_);
  check::shape("W", W_, p, p);
  check::shape("W_inverse_t", W_inverse_t_, p, p);
  deviation_ = (W_inverse_t_.cwiseAbs2() * rotated_variance()).cwiseSqrt();
}

/// σ²_l + e_jl: variances of the rotated outputs Wᵀy, which are independent.
Matrix UnrelatedPredictive::rotated_variance() const {
  return epistemic_.rowwise() + sigma_square_.transpose();
}

Matrix UnrelatedPredictive::whitened(const MatrixView& Y) const {
  check::shape("Y", Y, mean_.rows(), mean_.cols());
  check::finite("Y", Y);
  return (W_.transpose() * (Y - mean_)).cwiseQuotient(rotated_variance().cwiseSqrt());
}

Matrix UnrelatedPredictive::standardised(const MatrixView& Y) const {
  check::shape("Y", Y, mean_.rows(), mean_.cols());
  check::finite("Y", Y);
  return (Y - mean_).cwiseQuotient(deviation_);
}

Matrix UnrelatedPredictive::aleatoric_covariance(Index point) const {
  return sigma_square_(point) * W_inverse_t_ * W_inverse_t_.transpose();
}

Matrix UnrelatedPredictive::epistemic_covariance(Index point) const {
  return W_inverse_t_ * epistemic_.col(point).asDiagonal() * W_inverse_t_.transpose();
}

Matrix UnrelatedPredictive::aleatoric_variance() const {
  return W_inverse_t_.rowwise().squaredNorm() * sigma_square_.transpose();
}

Matrix UnrelatedPredictive::epistemic_variance() const { return W_inverse_t_.cwiseAbs2() * epistemic_; }

Covariance UnrelatedPredictive::total_factored(Index point) const {
  const Vector deviation = rotated_variance().col(point).cwiseSqrt();
  return covariance_of_root((W_inverse_t_ * deviation.asDiagonal()).transpose());
}

Vector UnrelatedPredictive::log_density(const MatrixView& Y) const {
  const Matrix white = whitened(Y);
  Matrix R = W_;
  lapack::qr_in_place(R);
  const double log_noise = -2 * R.diagonal().array().abs().log().sum();  // ln |U| = −2 ln |W|
  const double constant = static_cast<double>(outputs()) * std::log(2 * std::numbers::pi) + log_noise;
  return -0.5 *
         (constant + rotated_variance().array().log().colwise().sum() + white.colwise().squaredNorm().array())
             .transpose();
}

Matrix UnrelatedPredictive::marginal_log_density(const MatrixView& Y) const {
  return standardised(Y)
             .unaryExpr([](double z) { return marginal::log_density(z, marginal::gaussian); })
             .array() -
         deviation_.array().log();
}

Matrix UnrelatedPredictive::cdf(const MatrixView& Y) const {
  return standardised(Y).unaryExpr([](double z) { return marginal::cdf(z, marginal::gaussian); });
}

Interval UnrelatedPredictive::interval(double level) const {
  check::require(level > 0 && level < 1, "level", fmt::format("is {}, expected between 0 and 1", level));
  const Matrix half_width = marginal::central_quantile(level, marginal::gaussian) * deviation_;
  return {mean_ - half_width, mean_ + half_width};
}

Vector UnrelatedPredictive::ellipsoid_level(const MatrixView& Y) const {
  const Vector q = whitened(Y).colwise().squaredNorm().transpose();
  const auto p = static_cast<double>(outputs());
  return q.unaryExpr([p](double square) { return marginal::ellipsoid_level(square, p, marginal::gaussian); });
}

Matrix UnrelatedPredictive::crps(const MatrixView& Y) const {
  const Matrix standard =
      standardised(Y).unaryExpr([](double z) { return marginal::crps(z, marginal::gaussian); });
  return standard.cwiseProduct(deviation_);
}

std::vector<Matrix> UnrelatedPredictive::sample(Index count, Rng& rng) const {
  check::require(count >= 0, "count", fmt::format("is {}, expected 0 or more", count));
  const Matrix deviation = rotated_variance().cwiseSqrt();
  std::vector<Matrix> draws;
  for (Index draw = 0; draw < count; ++draw)
    draws.emplace_back(mean_ + W_inverse_t_ *
                                   standard_normal_matrix(outputs(), points(), rng).cwiseProduct(deviation));
  return draws;
}

double UnrelatedPredictive::dof() const { return marginal::gaussian; }

std::unique_ptr<Predictive> UnrelatedPredictive::rescaled(const VectorView& scale,
                                                          const VectorView& shift) const {
  check::size("scale", scale, outputs());
  check::positive("scale", scale);
  check::size("shift", shift, outputs());
  check::finite("shift", shift);
  return std::make_unique<UnrelatedPredictive>((scale.asDiagonal() * mean_).colwise() + shift, sigma_square_,
                                               epistemic_, scale.cwiseInverse().asDiagonal() * W_,
                                               scale.asDiagonal() * W_inverse_t_);
}

}  // namespace mbll
