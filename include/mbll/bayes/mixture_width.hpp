#pragma once

#include <vector>

#include "mbll/bayes/posterior.hpp"
#include "mbll/bayes/predictive.hpp"

/// The width of a mixture whose members each cover their own error. The mean of several errs less than each
/// of them, and the spread of their means widens the mixture on top: both make it underconfident. The cure is
/// one factor on the covariance of all members, section 7 of docs/math.md.
namespace mbll {

/// What several members say of points that none of them was trained on, and what came out.
struct HeldOutMixture {
  std::vector<SharedPredictive> members;  ///< at least one, of the same points
  Matrix Y;                               ///< p×L
};

/// The factor on the covariance of all members that maximises the log density of the mixtures, (C6). Throws
/// InvalidArgument if there is no mixture, one has no member, or shapes differ. Cost: about 30 evaluations.
[[nodiscard]] double best_covariance_factor(const std::vector<HeldOutMixture>& mixtures);

/// The factor for a mixture of `members` from the one that suits pairs of them, (C7) and (C8): within 0.06
/// (of its root) of the best for Gaussian errors whose correlation between members is at least ½. Throws
/// InvalidArgument unless the factor is positive and there are at least two members.
[[nodiscard]] double extrapolated_covariance_factor(double pair_factor, Index members);

/// The same distribution with its covariance, noise and epistemic, times `factor` > 0.
[[nodiscard]] SharedPredictive with_covariance_scaled(const SharedPredictive& predictive, double factor);
/// V (or Ψ + S_y|x) times `factor` > 0: every predictive and every later update is as if V had been known to
/// be that from the start, because neither the mean nor C depends on it.
[[nodiscard]] Posterior with_covariance_scaled(const Posterior& posterior, double factor);

}  // namespace mbll
