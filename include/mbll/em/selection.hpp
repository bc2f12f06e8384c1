#pragma once

#include <string>
#include <variant>
#include <vector>

#include "mbll/em/em.hpp"

namespace mbll {

/// Laplace approximation of ln p(Y | model) with the hyperparameters integrated out (eq. E18).
struct LaplaceEvidence {
  double log_model_evidence;  ///< ln p(Y|ξ̂) + ln π(ξ̂) + (#ξ/2) ln 2π − ½ ln |−∇²|
  Index parameters;           ///< #ξ
  /// Directions in which the posterior of ln ξ is wider than 10 (a factor that the data leaves open); they
  /// count as 10.
  Index flat_directions;
};

/// The hyperprior enters without its constant, which does not exist for ν_K ≤ 2d: compare candidates with
/// hyperpriors only at the same number of features. Curvature at the optimum that `fit_em` found with these
/// options. Cost: 2 #ξ E-steps.
[[nodiscard]] LaplaceEvidence laplace_evidence(const EmResult<NormalPrior>& optimum, const Statistics& data,
                                               const EmOptions& options);
[[nodiscard]] LaplaceEvidence laplace_evidence(const EmResult<WishartPrior>& optimum, const Statistics& data,
                                               const EmOptions& options);

/// A model to compare: features, orders and structures are in its statistics, prior and options.
struct Candidate {
  std::string name;
  Statistics data;
  std::variant<NormalPrior, WishartPrior> prior;
  EmOptions options;
};

struct RankedCandidate {
  std::string name;
  Index position;  ///< in the list that was given
  LaplaceEvidence evidence;
  EmSummary em;
};

/// Runs EM on every candidate and ranks by model evidence, best first. Throws InvalidArgument if the
/// candidates do not explain the same data (different outputs or numbers of samples), because their evidences
/// do not compare then.
[[nodiscard]] std::vector<RankedCandidate> select(const std::vector<Candidate>& candidates, int threads = 1);

}  // namespace mbll
