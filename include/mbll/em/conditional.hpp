#pragma once

#include <vector>

#include "mbll/bayes/posterior.hpp"
#include "mbll/em/structure.hpp"

namespace mbll {

/// ln p(Y_held | Y_train) of the model in `prior` (eq. C1): how well the training posterior predicts samples
/// that the features have not seen. Cost O(d³).
[[nodiscard]] double log_conditional_evidence(const NormalPrior& prior, const Statistics& train,
                                              const Statistics& held);

struct ConditionalOptions {
  ColumnStructure column = ColumnStructure::isotropic;  ///< isotropic, diagonal or blocks
  std::vector<Index> blocks;                            ///< sizes, for ColumnStructure::blocks
  bool update_noise = true;                             ///< estimate one factor σ on all given σᵢ
  /// Also estimate V, from the residuals of the held-out samples, (C4). Its scale then takes the place of σ.
  bool estimate_row_covariance = false;
  double tolerance = 1e-6;  ///< on the norm of the gradient per held-out value
  int max_iterations = 500;

  void validate(Index features) const;
};

struct ConditionalResult {
  NormalPrior prior;    ///< with the estimated K (and V)
  double noise_scale;   ///< σ
  double log_evidence;  ///< ln p(Y_held | Y_train) at the optimum
  Posterior posterior;  ///< given training and held-out samples together
  int iterations;
  bool converged;
  std::vector<double> trace;  ///< log_evidence by iteration
};

/// Hyperparameters that maximise the conditional evidence, from the starting values in `prior`, by the
/// gradient (C3); then the held-out samples join by a Bayesian update, (C5). Cures the overconfidence of the
/// evidence of samples that the features were trained on. Cost per iteration: O(d) for isotropic K after two
/// O(d³) decompositions, O(d³) otherwise; whatever N.
[[nodiscard]] ConditionalResult fit_conditional(const NormalPrior& prior, const Statistics& train,
                                                const Statistics& held, const ConditionalOptions& options);

}  // namespace mbll
