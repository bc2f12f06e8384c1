#include "mbll/em/unrelated_em.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "em/parameters.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

/// K in its structure from rows B with BᵀB the full update.
Covariance structured(const Matrix& B, ColumnStructure structure) {
  if (structure == ColumnStructure::full) return Covariance::from_factor(em::lower_root(B));
  const Vector diagonal = B.colwise().squaredNorm().transpose().cwiseMax(1e-280);
  if (structure == ColumnStructure::diagonal) return Covariance::diagonal(diagonal, "K");
  return Covariance::isotropic(B.cols(), diagonal.mean(), "K");
}

UnrelatedPrior next_prior(const UnrelatedPrior& at, const UnrelatedPosterior& posterior,
                          const Statistics& data, const UnrelatedEmOptions& options) {
  const RotatedMoments& m = posterior.rotated();
  const Index p = m.mean.rows();
  const Index d = m.mean.cols();
  UnrelatedPrior next = at;
  // E[(A−M)ᵀV⁻¹(A−M)]/p = LQ (B̄ᵀ diag(1/λ) B̄ + diag_k Σ_j s_jk/λ_j) (LQ)ᵀ / p
  const Matrix mean_rows = m.lambda.cwiseSqrt().cwiseInverse().asDiagonal() * m.mean;  // p×d
  const Vector spread =
      (m.lambda.cwiseInverse().asDiagonal() * m.variance).colwise().sum().transpose().cwiseSqrt();
  Matrix B(p + d, d);
  B << mean_rows, Matrix(spread.asDiagonal());
  next.K = structured(B * m.column_basis.transpose() / std::sqrt(static_cast<double>(p)), options.column);
  if (options.update_V) {
    // E[(A−M)K⁻¹(A−M)ᵀ]/d with the new K: W⁻ᵀ (B̄GB̄ᵀ + diag_j Σ_k s_jk G_kk) W⁻¹ / d, G = (LQ)ᵀK⁻¹(LQ)
    const Matrix white = next.K.whiten(m.column_basis);  // WᵀW = G
    const Vector G_diagonal = white.colwise().squaredNorm().transpose();
    Matrix rows(d + p, p);
    rows << (m.mean * white.transpose()).transpose(),
        Matrix((m.variance * G_diagonal).cwiseSqrt().asDiagonal());
    next.V = Covariance::from_factor(
        em::lower_root(rows * m.W_inverse_t.transpose() / std::sqrt(static_cast<double>(d))));
  }
  if (options.update_U && data.samples() > 0) {
    // E[(Y−AΦ)D⁻¹(Y−AΦ)ᵀ]/N: residuals at the posterior mean plus W⁻ᵀ diag_j(Σ_k s_jk μ_k) W⁻¹
    const Matrix fit = data.cross_root() - data.feature_root() * posterior.mean().transpose();  // d×p
    Matrix rows(d + 2 * p, p);
    rows << fit, Matrix(data.residual_root()),
        Matrix((m.variance * m.mu).cwiseSqrt().asDiagonal()) * m.W_inverse_t.transpose();
    next.U = Covariance::from_factor(em::lower_root(rows / std::sqrt(static_cast<double>(data.samples()))));
  }
  return next;
}

double change(const Covariance& from, const Covariance& to) {
  const Matrix target = to.matrix();
  return (from.matrix() - target).norm() / target.norm();
}

}  // namespace

void UnrelatedEmOptions::validate() const {
  check::require(column != ColumnStructure::blocks, "column",
                 "is blocks, expected full, diagonal or isotropic");
  check::positive("tolerance", tolerance);
  check::require(max_steps >= 1, "max_steps", fmt::format("is {}, expected at least 1", max_steps));
}

UnrelatedEmResult fit_em(const UnrelatedPrior& prior, const Statistics& data,
                         const UnrelatedEmOptions& options) {
  prior.validate();
  options.validate();
  UnrelatedPrior at = prior;
  at.K = structured(prior.K.factor().transpose(), options.column);
  UnrelatedPosterior posterior(at, data);
  EmSummary summary;
  double before = posterior.log_evidence();
  while (true) {
    ++summary.steps;
    UnrelatedPrior next = next_prior(at, posterior, data, options);
    EmStep step;
    step.evaluations = summary.steps;
    step.log_evidence = posterior.log_evidence();
    step.parameter_change = std::max({change(at.K, next.K), change(at.V, next.V), change(at.U, next.U)});
    step.evidence_change = std::abs(step.log_evidence - before) / std::max(1.0, std::abs(step.log_evidence));
    step.column_trace = at.K.trace();
    const RotatedMoments& m = posterior.rotated();
    step.condition =
        (1 + m.lambda.maxCoeff() * m.mu.maxCoeff()) / (1 + m.lambda.minCoeff() * m.mu.minCoeff());
    step.effective_parameters = (m.variance * m.mu).sum() / static_cast<double>(m.lambda.size());
    before = step.log_evidence;
    summary.trace.push_back(step);
    const bool settled = summary.trace.size() > 1 && step.parameter_change < options.tolerance &&
                         step.evidence_change < options.tolerance;
    const bool stopped = options.progress && !options.progress(step);
    UnrelatedPosterior next_posterior(next, data);
    if (next_posterior.log_evidence() < step.log_evidence - 1e-12 * (1 + std::abs(step.log_evidence))) {
      summary.end = EmEnd::rounding;
      break;
    }
    at = std::move(next);
    posterior = std::move(next_posterior);
    if (settled || stopped || summary.steps >= options.max_steps) {
      summary.end = settled ? EmEnd::converged : stopped ? EmEnd::stopped : EmEnd::step_limit;
      EmStep last = summary.trace.back();
      last.log_evidence = posterior.log_evidence();
      last.column_trace = at.K.trace();
      summary.trace.push_back(last);
      break;
    }
  }
  return {std::move(summary), std::move(at), std::move(posterior)};
}

}  // namespace mbll
