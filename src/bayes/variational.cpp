#include "mbll/bayes/variational.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <utility>

#include "bayes/stacked_root.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

/// tr(S⁻¹ T)
double trace_ratio(const Covariance& S, const Covariance& T) { return S.whiten(T.factor()).squaredNorm(); }

/// tr(ΦD⁻¹Φᵀ K̃)
double expected_feature_square(const Covariance& columns, const Statistics& data) {
  return (data.feature_root() * columns.factor()).squaredNorm();
}

}  // namespace

double expected_log_likelihood(const MatrixNormal& q, const Covariance& U, const Statistics& data) {
  check::require(data.features() == q.mean().cols() && data.outputs() == q.mean().rows(), "data",
                 fmt::format("has {} features and {} outputs, q has {} and {}", data.features(),
                             data.outputs(), q.mean().cols(), q.mean().rows()));
  check::require(U.size() == q.mean().rows(), "U",
                 fmt::format("is {0}×{0}, expected {1}×{1}", U.size(), q.mean().rows()));
  const auto N = static_cast<double>(data.samples());
  const auto p = static_cast<double>(data.outputs());
  Matrix residual(data.features() + data.outputs(), data.outputs());  // root of (Y − M̃Φ)D⁻¹(Y − M̃Φ)ᵀ
  residual << data.cross_root() - data.feature_root() * q.mean().transpose(), data.residual_root();
  return -0.5 * (N * p * std::log(2 * std::numbers::pi) + N * U.log_determinant() + p * data.log_noise() +
                 U.whiten(residual.transpose()).squaredNorm() +
                 trace_ratio(U, q.rows()) * expected_feature_square(q.columns(), data));
}

double kl_divergence(const MatrixNormal& q, const MatrixNormal& prior) {
  check::shape("q", q.mean(), prior.mean().rows(), prior.mean().cols());
  const auto p = static_cast<double>(q.mean().rows());
  const auto d = static_cast<double>(q.mean().cols());
  const Matrix shift = prior.columns().whiten(prior.rows().whiten(q.mean() - prior.mean()).transpose());
  return 0.5 *
         (trace_ratio(prior.columns(), q.columns()) * trace_ratio(prior.rows(), q.rows()) +
          shift.squaredNorm() - p * d + d * (prior.rows().log_determinant() - q.rows().log_determinant()) +
          p * (prior.columns().log_determinant() - q.columns().log_determinant()));
}

double elbo(const MatrixNormal& q, const UnrelatedPrior& prior, const Statistics& data) {
  prior.validate();
  return expected_log_likelihood(q, prior.U, data) -
         kl_divergence(q, MatrixNormal(prior.M, prior.V, prior.K));
}

Matrix optimal_mean(const UnrelatedPrior& prior, const Statistics& data) {
  return UnrelatedPosterior(prior, data).mean();
}

Covariance optimal_columns(const Covariance& q_rows, const UnrelatedPrior& prior, const Statistics& data) {
  const auto p = static_cast<double>(q_rows.size());
  const double from_data = trace_ratio(prior.U, q_rows) / p;
  const double from_prior = trace_ratio(prior.V, q_rows) / p;
  return add_precision(prior.K.scaled(1 / from_prior), std::sqrt(from_data) * data.feature_root());
}

Covariance optimal_rows(const Covariance& q_columns, const UnrelatedPrior& prior, const Statistics& data) {
  const auto d = static_cast<double>(q_columns.size());
  const double from_data = expected_feature_square(q_columns, data) / d;
  const double from_prior = trace_ratio(prior.K, q_columns) / d;
  return add_precision(prior.V.scaled(1 / from_prior), std::sqrt(from_data) * prior.U.inverse_factor());
}

void VariationalOptions::validate() const {
  check::positive("tolerance", tolerance);
  check::require(max_steps > 0, "max_steps", fmt::format("is {}, expected at least 1", max_steps));
}

VariationalResult fit_variational(const UnrelatedPrior& prior, const Statistics& data,
                                  const VariationalOptions& options) {
  prior.validate();
  options.validate();
  const Matrix mean = optimal_mean(prior, data);
  VariationalResult result{MatrixNormal(mean, prior.V, optimal_columns(prior.V, prior, data))};
  result.elbo = elbo(result.q, prior, data);
  while (result.steps < options.max_steps && !result.converged) {
    Covariance rows = optimal_rows(result.q.columns(), prior, data);
    Covariance columns = optimal_columns(rows, prior, data);
    result.q = MatrixNormal(mean, std::move(rows), std::move(columns));
    const double next = elbo(result.q, prior, data);
    result.converged = std::abs(next - result.elbo) <= options.tolerance * (1 + std::abs(next));
    result.elbo = next;
    ++result.steps;
  }
  return result;
}

}  // namespace mbll
