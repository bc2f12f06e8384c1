#pragma once

#include "mbll/bayes/unrelated.hpp"
#include "mbll/em/em.hpp"

namespace mbll {

/// What EM estimates when the noise covariance U has nothing to do with the prior's V.
struct UnrelatedEmOptions {
  ColumnStructure column = ColumnStructure::isotropic;  ///< of K; not blocks
  bool update_U = true;
  bool update_V = true;
  double tolerance = 1e-4;
  int max_steps = 1000;
  std::function<bool(const EmStep&)> progress;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

struct UnrelatedEmResult : EmSummary {
  UnrelatedPrior prior;
  UnrelatedPosterior posterior;

  UnrelatedEmResult(EmSummary summary, UnrelatedPrior p, UnrelatedPosterior q)
      : EmSummary(std::move(summary)), prior(std::move(p)), posterior(std::move(q)) {}
};

/// EM for U, V and K with M fixed, in the rotated moments (eqs. U7, U8): K given V, then V given the new K,
/// and U. The evidence never falls. Cost per step O(d³ + p³ + pd²), whatever N.
[[nodiscard]] UnrelatedEmResult fit_em(const UnrelatedPrior& prior, const Statistics& data,
                                       const UnrelatedEmOptions& options);

}  // namespace mbll
