#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "mbll/bayes/posterior.hpp"
#include "mbll/bayes/statistics.hpp"
#include "mbll/em/hyperprior.hpp"
#include "mbll/em/structure.hpp"

namespace mbll {

/// One accepted point of an EM run.
struct EmStep {
  int evaluations = 0;          ///< E-steps done so far, rejected ones included
  double log_evidence = 0;      ///< ln p(Y | ξ)
  double log_hyperprior = 0;    ///< ln π(K) without its constant; 0 without a hyperprior
  double parameter_change = 0;  ///< largest relative change that the M-step makes to a free parameter
  double evidence_change = 0;   ///< relative change of the objective since the point before
  double column_trace = 0;      ///< tr K
  double condition = 0;  ///< estimate of the condition number of the posterior precision K⁻¹ + ΦD⁻¹Φᵀ
  double effective_parameters = 0;  ///< tr(C ΦD⁻¹Φᵀ), between 0 and d (E17)
  double noise_scale = 1;           ///< σ, the factor on the given σᵢ

  [[nodiscard]] double objective() const { return log_evidence + log_hyperprior; }
};

enum class EmEnd {
  converged,
  step_limit,
  stopped,   ///< by the progress callback
  rounding,  ///< no step raises the objective any more: the model explains the data down to rounding
};
[[nodiscard]] const char* name_of(EmEnd end);

/// What is estimated, in what form, and when to stop.
struct EmOptions {
  ColumnStructure column = ColumnStructure::isotropic;
  std::vector<Index> blocks;              ///< sizes of the blocks, in order; for ColumnStructure::blocks only
  RowStructure row = RowStructure::full;  ///< of Ψ, when V is unknown
  std::optional<Hyperprior> hyperprior;
  /// Estimate M together with K. Needs a hyperprior: without one the evidence degenerates (M → least squares,
  /// K → 0).
  bool update_mean = false;
  /// Estimate one factor σ on all given σᵢ (with σᵢ = 1: constant noise).
  bool update_noise = false;
  /// Named opt-in to the degenerate scheme, for demonstrations: allows update_mean without a hyperprior.
  bool unregularised_joint = false;
  double tolerance = 1e-4;  ///< on the relative changes of all free parameters and of the objective
  int max_steps = 1000;     ///< limit on E-steps
  bool accelerate = true;   ///< (E11) or (E16a), guarded so that the objective still never falls
  /// Called at every accepted point; return false to stop.
  std::function<bool(const EmStep&)> progress;

  /// Throws InvalidArgument naming the field. `features` is d.
  void validate(Index features) const;
};

/// How an EM run went. trace.front() is the start, trace.back() the result.
struct EmSummary {
  std::vector<EmStep> trace;
  EmEnd end = EmEnd::step_limit;
  int steps = 0;           ///< E-steps used
  double noise_scale = 1;  ///< σ

  [[nodiscard]] bool converged() const { return end == EmEnd::converged; }
};

template <class Prior>
struct EmResult : EmSummary {
  Prior prior;          ///< with the estimated hyperparameters
  Posterior posterior;  ///< given the data with noise σ·σᵢ

  EmResult(EmSummary summary, Prior p, Posterior q)
      : EmSummary(std::move(summary)), prior(std::move(p)), posterior(std::move(q)) {}
};

/// Estimates hyperparameters by expectation maximisation from the starting values in `prior` (eqs. E3–E9). K,
/// Ψ and M of the start are brought into the asked structure first. The objective ln p(Y) + ln π(K) never
/// falls. Cost per step, whatever N: O(d p²) for isotropic K (after one O(d³) decomposition; O(d) with V
/// known and M fixed), O(d³) otherwise.
[[nodiscard]] EmResult<NormalPrior> fit_em(const NormalPrior& prior, const Statistics& data,
                                           const EmOptions& options);
[[nodiscard]] EmResult<WishartPrior> fit_em(const WishartPrior& prior, const Statistics& data,
                                            const EmOptions& options);

}  // namespace mbll
