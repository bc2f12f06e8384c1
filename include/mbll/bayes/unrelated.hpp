#pragma once

#include <memory>

#include "mbll/bayes/covariance.hpp"
#include "mbll/bayes/predictive.hpp"
#include "mbll/bayes/statistics.hpp"
#include "mbll/core.hpp"

namespace mbll {

/// Noise covariance U that has nothing to do with the prior's row covariance V: y = Aφ + σε, ε ~ N(0, U), A ~
/// MN(M, V, K). (U1) of docs/math.md.
struct UnrelatedPrior {
  Matrix M;      ///< p×d
  Covariance U;  ///< p×p, noise
  Covariance V;  ///< p×p, between the outputs of the last layer
  Covariance K;  ///< d×d, between features

  /// Throws InvalidArgument if the sizes do not fit each other or M is not finite.
  void validate() const;
};

/// The basis in which the model falls apart into p·d independent scalar problems: WᵀUW = I, WᵀVW = diag(λ),
/// K = LLᵀ, LᵀΦD⁻¹ΦᵀL = Q diag(μ) Qᵀ. In it B = Wᵀ(A − M)(LQ)⁻ᵀ has independent entries, a priori N(0, λ_j),
/// a posteriori N(mean_jk, s_jk) with s_jk = λ_j/(1 + λ_jμ_k): (U2), (U3). EM for U, V and K is written in
/// these moments.
struct RotatedMoments {
  Matrix W;                ///< p×p
  Matrix W_inverse_t;      ///< W⁻ᵀ, p×p: U = W⁻ᵀW⁻¹, V = W⁻ᵀ diag(λ) W⁻¹
  Vector lambda;           ///< λ, p
  Vector mu;               ///< μ, d
  Matrix column_basis;     ///< LQ, d×d
  Matrix mean;             ///< E[B | Y], p×d
  Matrix variance;         ///< s, p×d
  Vector residual_square;  ///< per rotated output, its part of the quadratic term tr(S⁻¹ EEᵀ), p
};

/// Gaussian predictive with its own epistemic covariance at every point: total covariance W⁻ᵀ diag(σ² + e_l)
/// W⁻¹, (U6).
class UnrelatedPredictive final : public Predictive {
 public:
  /// `epistemic` are the e_jl ≥ 0 in the rotated outputs (p×L), `sigma_square` the σ²(x_l) (L).
  UnrelatedPredictive(Matrix mean, Vector sigma_square, Matrix epistemic, Matrix W, Matrix W_inverse_t);

  [[nodiscard]] const Matrix& mean() const override { return mean_; }
  [[nodiscard]] Matrix aleatoric_covariance(Index point) const override;
  [[nodiscard]] Matrix epistemic_covariance(Index point) const override;
  [[nodiscard]] Matrix aleatoric_variance() const override;
  [[nodiscard]] Matrix epistemic_variance() const override;
  [[nodiscard]] Covariance total_factored(Index point) const override;
  [[nodiscard]] Vector log_density(const MatrixView& Y) const override;
  [[nodiscard]] Matrix marginal_log_density(const MatrixView& Y) const override;
  [[nodiscard]] Matrix cdf(const MatrixView& Y) const override;
  [[nodiscard]] Interval interval(double level) const override;
  [[nodiscard]] Vector ellipsoid_level(const MatrixView& Y) const override;
  [[nodiscard]] Matrix crps(const MatrixView& Y) const override;
  [[nodiscard]] std::vector<Matrix> sample(Index count, Rng& rng) const override;
  [[nodiscard]] double dof() const override;
  [[nodiscard]] std::unique_ptr<Predictive> rescaled(const VectorView& scale,
                                                     const VectorView& shift) const override;

 private:
  [[nodiscard]] Matrix rotated_variance() const;
  [[nodiscard]] Matrix whitened(const MatrixView& Y) const;
  [[nodiscard]] Matrix standardised(const MatrixView& Y) const;

  Matrix mean_;
  Vector sigma_square_;
  Matrix epistemic_;
  Matrix W_;
  Matrix W_inverse_t_;
  Matrix deviation_;  ///< p×L, standard deviation of each marginal
};

/// Posterior of the last layer in this model, exact. Immutable; safe to share between threads.
class UnrelatedPosterior {
 public:
  /// Cost O(d³ + p³ + pd²), whatever N. Throws InvalidArgument if prior and data do not fit.
  UnrelatedPosterior(const UnrelatedPrior& prior, const Statistics& data);

  [[nodiscard]] const Matrix& mean() const { return mean_; }  ///< p×d
  [[nodiscard]] double log_evidence() const { return log_evidence_; }
  /// Covariance of vec A, pd×pd (columns of A stacked). O((pd)³)
  [[nodiscard]] Matrix covariance() const;
  [[nodiscard]] const RotatedMoments& rotated() const { return rotated_; }
  /// Cost O(d²L + pdL).
  [[nodiscard]] UnrelatedPredictive predict(const MatrixView& Phi /* d×L */,
                                            const VectorView& sigma /* L */) const;

 private:
  Matrix mean_;
  RotatedMoments rotated_;
  double log_evidence_ = 0;
};

}  // namespace mbll
