#pragma once

#include <memory>

#include "em/parameters.hpp"

namespace mbll::em {

/// One E-step and M-step at θ.
struct Evaluation {
  EmStep step;      ///< everything but the changes
  Vector next;      ///< θ after the M-step
  Vector gradient;  ///< of the objective ln p(Y) + ln π(K) in θ (Fisher's identity: that of the M-step's
                    ///< surrogate)
  Vector proposal;  ///< a point that accelerated EM tries next; empty: it extrapolates from earlier points
};

/// An EM problem as the driver sees it: a map on vectors with an objective that it never lowers.
class Problem {
 public:
  virtual ~Problem() = default;
  [[nodiscard]] virtual const Layout& layout() const = 0;
  [[nodiscard]] virtual Vector start() const = 0;
  [[nodiscard]] virtual Evaluation evaluate(const Vector& theta) const = 0;
  [[nodiscard]] virtual Parameters values(const Vector& theta) const = 0;
};

/// nu is infinite when V is known; then `start.Psi` is V.
/// For any structure: one QR per step.
[[nodiscard]] std::unique_ptr<Problem> make_dense_problem(Parameters start, double nu, const Statistics& data,
                                                          const EmOptions& options);
/// For isotropic K: one decomposition, then O(d p²) or less per step.
[[nodiscard]] std::unique_ptr<Problem> make_spectral_problem(Parameters start, double nu,
                                                             const Statistics& data,
                                                             const EmOptions& options);
/// The cheaper of the two that fits the structure.
[[nodiscard]] std::unique_ptr<Problem> make_problem(Parameters start, double nu, const Statistics& data,
                                                    const EmOptions& options);

struct Run {
  EmSummary summary;
  Vector theta;
};
/// Plain or accelerated EM from problem.start().
[[nodiscard]] Run run(const Problem& problem, const EmOptions& options);

}  // namespace mbll::em
