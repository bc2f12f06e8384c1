#pragma once

#include <limits>
#include <variant>

#include "mbll/bayes/covariance.hpp"
#include "mbll/bayes/inverse_wishart.hpp"
#include "mbll/bayes/matrix_normal.hpp"
#include "mbll/bayes/matrix_t.hpp"
#include "mbll/bayes/predictive.hpp"
#include "mbll/bayes/statistics.hpp"
#include "mbll/core.hpp"

namespace mbll {

/// V known: A ~ MN(M, V, K), (N3) of docs/math.md.
struct NormalPrior {
  Matrix M;      ///< p×d
  Covariance V;  ///< p×p, covariance between outputs
  Covariance K;  ///< d×d, covariance between features

  /// Throws InvalidArgument if the sizes do not fit each other or M is not finite.
  void validate() const;
};

/// V unknown: V ~ IW(Psi, nu), A | V ~ MN(M, V, K), (T2). nu in Gupta & Nagar's convention: nu > 2p.
struct WishartPrior {
  Matrix M;        ///< p×d
  Covariance K;    ///< d×d
  Covariance Psi;  ///< p×p
  double nu = 0;

  void validate() const;
};

/// Joint distribution of the outputs at several points: matrix normal when V is known, matrix T when it is
/// not.
using JointDistribution = std::variant<MatrixNormal, MatrixT>;

/// Posterior of the last layer, V known (A | Y ~ MN(mean, V, C)) or unknown (V | Y ~ IW(Psi, nu), A | V, Y ~
/// MN(mean, V, C)), (N6) and (T5). A posterior is the next prior, (N13) and (T9): `condition(posterior,
/// more)` is the Bayesian update. Immutable; safe to share between threads.
class Posterior {
 public:
  [[nodiscard]] Index features() const { return mean_.cols(); }
  [[nodiscard]] Index outputs() const { return mean_.rows(); }
  [[nodiscard]] const Matrix& mean() const { return mean_; }                ///< Â, p×d
  [[nodiscard]] const Covariance& column_covariance() const { return C_; }  ///< C, d×d
  [[nodiscard]] bool noise_known() const { return nu_ == std::numeric_limits<double>::infinity(); }
  /// V when it is known, Ψ + S_y|x when it is not.
  [[nodiscard]] const Covariance& row_scale() const { return row_scale_; }
  [[nodiscard]] double nu() const { return nu_; }  ///< ν + N; infinity when V is known
  /// Degrees of freedom of the predictive: ν + N − 2p; infinity when V is known.
  [[nodiscard]] double dof() const;
  /// S of SharedPredictive: V, or E[V | Y] = (Ψ + S_y|x)/(ν + N − 2p − 2), (T7). p×p
  [[nodiscard]] Matrix noise_covariance() const;
  /// ln p of the samples that made this posterior from its prior (of the last `condition` only): (N8), (T4).
  [[nodiscard]] double log_evidence() const { return log_evidence_; }
  /// S_y|x, the residual scatter of the last `condition`, (N7). p×p
  [[nodiscard]] const Matrix& residual_scatter() const { return residual_scatter_; }
  /// Samples seen, over all updates.
  [[nodiscard]] Index samples() const { return samples_; }

  /// The posterior as the next prior. Throws InvalidArgument when V is (un)known on the wrong side.
  [[nodiscard]] NormalPrior as_normal_prior() const;
  [[nodiscard]] WishartPrior as_wishart_prior() const;

  /// Predictive at L new points, (N11) or (T7). Cost: one dtrmm d²L + one dgemm pdL.
  [[nodiscard]] SharedPredictive predict(const MatrixView& Phi /* d×L */,
                                         const VectorView& sigma /* L */) const;
  /// Mean and epistemic factor at one point, for control loops: no checks, no heap allocation.
  /// Returns e = φᵀCφ; mean gets Âφ. Cost d² + 2pd flops.
  double predict_one(const VectorView& phi /* d */, VectorSpan mean /* p */) const;
  /// Mean and epistemic factors at many points into the caller's memory (the inner loop of `predict`).
  void predict_into(const MatrixView& Phi /* d×L */, MatrixSpan mean /* p×L */,
                    VectorSpan epistemic_factor /* L */) const;

  /// All L points together: MN(ÂΦ*, V, D* + Φ*ᵀCΦ*) or MT(ÂΦ*, Ψ + S_y|x, D* + Φ*ᵀCΦ*, ν + N − 2p), (N10) or
  /// (T6). O(L³ + dL² + d²L)
  [[nodiscard]] JointDistribution predict_joint(const MatrixView& Phi /* d×L */,
                                                const VectorView& sigma /* L */) const;
  /// ln p(Y | data) of all L points together (the conditional evidence of new samples). Cost as above; for L
  /// > d `condition(*this, statistics).log_evidence()` gives the same in O(d³ + d²L).
  [[nodiscard]] double log_density_joint(const MatrixView& Phi /* d×L */, const VectorView& sigma /* L */,
                                         const MatrixView& Y /* p×L */) const;
  /// The last layer itself: MN(Â, V, C) or MT(Â, Ψ + S_y|x, C, ν + N − 2p).
  [[nodiscard]] JointDistribution weights() const;
  /// V | Y ~ IW(Ψ + S_y|x, ν + N). Throws InvalidArgument when V is known.
  [[nodiscard]] InverseWishart noise() const;

  /// Restores a posterior from its parts (model files). Throws InvalidArgument if they do not fit.
  static Posterior from_parts(Matrix mean, Covariance C, Covariance row_scale, double nu,
                              Matrix residual_scatter, double log_evidence, Index samples);

 private:
  friend Posterior condition(const NormalPrior& prior, const Statistics& data);
  friend Posterior condition(const WishartPrior& prior, const Statistics& data);
  friend Posterior condition(const Posterior& prior, const Statistics& data);
  Posterior(Matrix mean, Covariance C, Covariance row_scale, double nu, Matrix residual_scatter,
            double log_evidence, Index samples);

  Matrix mean_;
  Covariance C_;
  Covariance row_scale_;
  double nu_;
  Matrix residual_scatter_;
  double log_evidence_;
  Index samples_;
};

/// Epistemic factor φᵀCφ at L points for a column covariance C: a posterior's C, or a prior's K for the
/// a-priori part. O(d²L)
[[nodiscard]] Vector epistemic_factor(const Covariance& C /* d×d */, const MatrixView& Phi /* d×L */);

/// The epistemic factor split, (N12): posterior = prior − reduction. Each L entries.
struct EpistemicSplit {
  Vector prior;      ///< φᵀKφ, before any data
  Vector reduction;  ///< φᵀKΦΩ⁻¹ΦᵀKφ ≥ 0, what the data removed
  Vector posterior;  ///< φᵀCφ
};
[[nodiscard]] EpistemicSplit split_epistemic(const Covariance& K, const Posterior& posterior,
                                             const MatrixView& Phi /* d×L */);

/// Posterior and evidence, (N5) to (N9) or (T4) and (T5), in the form of (S5) and (S6). Cost O(d³ + d²p) by
/// one QR of the stacked roots, whatever N.
[[nodiscard]] Posterior condition(const NormalPrior& prior, const Statistics& data);
[[nodiscard]] Posterior condition(const WishartPrior& prior, const Statistics& data);
[[nodiscard]] Posterior condition(const Posterior& prior, const Statistics& data);  ///< Bayesian update

}  // namespace mbll
