#include "mbll/bayes/predictive.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <utility>

#include "bayes/marginal.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

/// Covariance of a t distribution from its scale; infinite where it does not exist (keeping zeros zero).
Matrix covariance_of(const Covariance& scale, double dof) {
  Matrix S = scale.matrix();
  if (std::isinf(dof)) return S;
  if (dof > 2) return S * (dof / (dof - 2));
  return S.unaryExpr(
      [](double s) { return s == 0 ? 0.0 : std::copysign(std::numeric_limits<double>::infinity(), s); });
}

Covariance scale_of(const Matrix& covariance, double dof) {
  Covariance S = Covariance::from_matrix(covariance, "row_covariance");
  if (std::isinf(dof)) return S;
  check::require(dof > 2, "dof", fmt::format("is {}, expected > 2 where a covariance is given", dof));
  return S.scaled((dof - 2) / dof);
}

/// factor · S, where 0 · ∞ is 0.
Matrix multiple(double factor, const Matrix& S) {
  if (factor == 0) return Matrix::Zero(S.rows(), S.cols());
  return factor * S;
}

Matrix variances(const Vector& factor, const Matrix& S) {
  Matrix result(S.rows(), factor.size());
  for (Index l = 0; l < factor.size(); ++l)
    if (factor(l) == 0)
      result.col(l).setZero();
    else
      result.col(l) = factor(l) * S.diagonal();
  return result;
}

}  // namespace

SharedPredictive::SharedPredictive(Matrix mean, Vector aleatoric_factor, Vector epistemic_factor,
                                   Matrix row_covariance, double dof)
    : SharedPredictive(ByScale{}, std::move(mean), std::move(aleatoric_factor), std::move(epistemic_factor),
                       scale_of(row_covariance, dof), dof) {
  row_covariance_ = std::move(row_covariance);
}

SharedPredictive SharedPredictive::from_scale(Matrix mean, Vector aleatoric_factor, Vector epistemic_factor,
                                              Covariance scale, double dof) {
  return {
      ByScale{}, std::move(mean), std::move(aleatoric_factor), std::move(epistemic_factor), std::move(scale),
      dof};
}

SharedPredictive::SharedPredictive(ByScale /*tag*/, Matrix mean, Vector aleatoric_factor,
                                   Vector epistemic_factor, Covariance scale, double dof)
    : mean_(std::move(mean)),
      aleatoric_factor_(std::move(aleatoric_factor)),
      epistemic_factor_(std::move(epistemic_factor)),
      scale_(std::move(scale)),
      row_covariance_(covariance_of(scale_, dof)),
      dof_(dof) {
  check::require(dof > 0, "dof", fmt::format("is {}, expected > 0", dof));
  check::shape("mean", mean_, scale_.size(), mean_.cols());
  check::finite("mean", mean_);
  check::size("aleatoric_factor", aleatoric_factor_, mean_.cols());
  check::positive("aleatoric_factor", aleatoric_factor_);
  check::size("epistemic_factor", epistemic_factor_, mean_.cols());
  check::finite("epistemic_factor", epistemic_factor_);
  check::require((epistemic_factor_.array() >= 0).all(), "epistemic_factor", "has negative entries");
}

Matrix SharedPredictive::aleatoric_covariance(Index point) const {
  return multiple(aleatoric_factor_(point), row_covariance_);
}

Matrix SharedPredictive::epistemic_covariance(Index point) const {
  return multiple(epistemic_factor_(point), row_covariance_);
}

Matrix SharedPredictive::aleatoric_variance() const { return variances(aleatoric_factor_, row_covariance_); }

Matrix SharedPredictive::epistemic_variance() const { return variances(epistemic_factor_, row_covariance_); }

Covariance SharedPredictive::total_factored(Index point) const {
  check::require(dof_ > 2, "dof", fmt::format("is {}, the covariance exists only for dof > 2", dof_));
  const double factor = aleatoric_factor_(point) + epistemic_factor_(point);
  return scale_.scaled(std::isinf(dof_) ? factor : factor * dof_ / (dof_ - 2));
}

/// (y_l − mean_l)ᵀ ((a_l + e_l) scale)⁻¹ (y_l − mean_l)
Vector SharedPredictive::quadratic_form(const MatrixView& Y) const {
  check::shape("Y", Y, mean_.rows(), mean_.cols());
  check::finite("Y", Y);
  const Vector deviation = (aleatoric_factor_ + epistemic_factor_).cwiseSqrt();
  return (scale_.whiten(Y - mean_) * deviation.cwiseInverse().asDiagonal())
      .colwise()
      .squaredNorm()
      .transpose();
}

/// (y_jl − mean_jl) in units of its marginal's scale.
Matrix SharedPredictive::standardised(const MatrixView& Y) const {
  check::shape("Y", Y, mean_.rows(), mean_.cols());
  check::finite("Y", Y);
  const Vector output = scale_.diagonal().cwiseSqrt();
  const Vector point = (aleatoric_factor_ + epistemic_factor_).cwiseSqrt();
  return output.cwiseInverse().asDiagonal() * (Y - mean_) * point.cwiseInverse().asDiagonal();
}

Vector SharedPredictive::log_density(const MatrixView& Y) const {
  const Vector q = quadratic_form(Y);
  const auto p = static_cast<double>(outputs());
  const Eigen::ArrayXd log_determinant =
      p * (aleatoric_factor_ + epistemic_factor_).array().log() + scale_.log_determinant();
  if (std::isinf(dof_)) return -0.5 * (p * std::log(2 * std::numbers::pi) + log_determinant + q.array());
  const double constant =
      marginal::log_gamma_ratio(0.5 * dof_, 0.5 * p) - 0.5 * p * std::log(dof_ * std::numbers::pi);
  return constant - 0.5 * log_determinant - 0.5 * (dof_ + p) * (q.array() / dof_).log1p();
}

Matrix SharedPredictive::marginal_log_density(const MatrixView& Y) const {
  const Matrix z = standardised(Y);
  const Vector output = 0.5 * scale_.diagonal().array().log();
  const Vector point = 0.5 * (aleatoric_factor_ + epistemic_factor_).array().log();
  Matrix result(z.rows(), z.cols());
  for (Index l = 0; l < z.cols(); ++l)
    for (Index j = 0; j < z.rows(); ++j)
      result(j, l) = marginal::log_density(z(j, l), dof_) - output(j) - point(l);
  return result;
}

Matrix SharedPredictive::cdf(const MatrixView& Y) const {
  return standardised(Y).unaryExpr([this](double z) { return marginal::cdf(z, dof_); });
}

Interval SharedPredictive::interval(double level) const {
  check::require(level > 0 && level < 1, "level", fmt::format("is {}, expected between 0 and 1", level));
  const double z = marginal::central_quantile(level, dof_);
  const Vector output = z * scale_.diagonal().cwiseSqrt();
  const Vector point = (aleatoric_factor_ + epistemic_factor_).cwiseSqrt();
  const Matrix half_width = output * point.transpose();
  return {mean_ - half_width, mean_ + half_width};
}

Vector SharedPredictive::ellipsoid_level(const MatrixView& Y) const {
  const auto p = static_cast<double>(outputs());
  return quadratic_form(Y).unaryExpr([&](double q) { return marginal::ellipsoid_level(q, p, dof_); });
}

Matrix SharedPredictive::crps(const MatrixView& Y) const {
  const Vector output = scale_.diagonal().cwiseSqrt();
  const Vector point = (aleatoric_factor_ + epistemic_factor_).cwiseSqrt();
  const Matrix standard = standardised(Y).unaryExpr([this](double z) { return marginal::crps(z, dof_); });
  return output.asDiagonal() * standard * point.asDiagonal();
}

std::vector<Matrix> SharedPredictive::sample(Index count, Rng& rng) const {
  check::require(count >= 0, "count", fmt::format("is {}, expected 0 or more", count));
  std::normal_distribution<double> normal;
  std::vector<Matrix> draws;
  draws.reserve(static_cast<std::size_t>(count));
  for (Index draw = 0; draw < count; ++draw) {
    Matrix y(outputs(), points());
    for (Index l = 0; l < points(); ++l) {
      for (Index j = 0; j < outputs(); ++j) y(j, l) = normal(rng);
      double factor = aleatoric_factor_(l) + epistemic_factor_(l);
      if (!std::isinf(dof_)) factor *= dof_ / std::chi_squared_distribution<double>(dof_)(rng);
      y.col(l) = mean_.col(l) + std::sqrt(factor) * (scale_.factor() * y.col(l));
    }
    draws.push_back(std::move(y));
  }
  return draws;
}

std::unique_ptr<Predictive> SharedPredictive::rescaled(const VectorView& scale,
                                                       const VectorView& shift) const {
  check::size("scale", scale, outputs());
  check::positive("scale", scale);
  check::size("shift", shift, outputs());
  check::finite("shift", shift);
  Matrix mean = (scale.asDiagonal() * mean_).colwise() + shift;
  return std::make_unique<SharedPredictive>(
      from_scale(std::move(mean), aleatoric_factor_, epistemic_factor_, scale_.rows_scaled(scale), dof_));
}

}  // namespace mbll
