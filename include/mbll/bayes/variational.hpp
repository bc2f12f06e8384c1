#pragma once

#include "mbll/bayes/matrix_normal.hpp"
#include "mbll/bayes/statistics.hpp"
#include "mbll/bayes/unrelated.hpp"
#include "mbll/core.hpp"

/// Variational posterior q(A) = MN(M̃, Ṽ, K̃) in the model with noise covariance U and prior MN(M, V, K) (as in
/// VBLL). The exact posterior (unrelated.hpp) is not a matrix normal unless U = V; this is the nearest one.
namespace mbll {

/// E_q ln p(Y | A), all constants included, (V2) of docs/math.md. O(d³)
[[nodiscard]] double expected_log_likelihood(const MatrixNormal& q, const Covariance& U,
                                             const Statistics& data);
/// KL(q ‖ p) of two matrix normals of the same size, (V3). O(d³ + p³)
[[nodiscard]] double kl_divergence(const MatrixNormal& q, const MatrixNormal& p);
/// E_q ln p(Y | A) − KL(q ‖ prior) ≤ ln p(Y), (V1).
[[nodiscard]] double elbo(const MatrixNormal& q, const UnrelatedPrior& prior, const Statistics& data);

/// Coordinate updates: each maximises the ELBO over one of q's parts with the others held.
/// M̃: the exact posterior mean, whatever Ṽ and K̃, (V5). O(d³)
[[nodiscard]] Matrix optimal_mean(const UnrelatedPrior& prior, const Statistics& data);
/// K̃ = p(tr(U⁻¹Ṽ)ΦD⁻¹Φᵀ + tr(V⁻¹Ṽ)K⁻¹)⁻¹. O(d³)
[[nodiscard]] Covariance optimal_columns(const Covariance& q_rows, const UnrelatedPrior& prior,
                                         const Statistics& data);
/// Ṽ = d(tr(ΦD⁻¹ΦᵀK̃)U⁻¹ + tr(K⁻¹K̃)V⁻¹)⁻¹, (V4). O(d³ + p³)
[[nodiscard]] Covariance optimal_rows(const Covariance& q_columns, const UnrelatedPrior& prior,
                                      const Statistics& data);

struct VariationalOptions {
  double tolerance = 1e-10;  ///< relative change of the ELBO that ends it
  int max_steps = 200;
  void validate() const;
};

struct VariationalResult {
  MatrixNormal q;
  double elbo = 0;
  int steps = 0;
  bool converged = false;
};

/// Coordinate ascent from Ṽ = V. The ELBO never falls. Only the product K̃ ⊗ Ṽ is determined, not the scale of
/// its parts.
[[nodiscard]] VariationalResult fit_variational(const UnrelatedPrior& prior, const Statistics& data,
                                                const VariationalOptions& options = {});

}  // namespace mbll
