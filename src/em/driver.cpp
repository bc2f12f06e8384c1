#include <algorithm>
#include <cmath>
#include <deque>

#include "bayes/lapack.hpp"
#include "em/problem.hpp"

namespace mbll::em {
namespace {

/// Anderson acceleration of the fixed-point iteration θ ← next(θ): the combination of the last points whose
/// steps cancel best. With n parameters and a memory of n it is a secant method, so it converges faster than
/// linearly.
class Anderson {
 public:
  explicit Anderson(Index memory) : memory_(memory) {}

  void restart() {
    moves_.clear();
    changes_.clear();
    has_last_ = false;
  }

  /// Records (θ, next(θ) − θ) and proposes the next point; without history that is next(θ).
  Vector propose(const Vector& theta, const Vector& step) {
    if (has_last_) {
      moves_.push_back(theta - last_theta_);
      changes_.push_back(step - last_step_);
      if (static_cast<Index>(moves_.size()) > memory_) {
        moves_.pop_front();
        changes_.pop_front();
      }
    }
    last_theta_ = theta;
    last_step_ = step;
    has_last_ = true;
    if (moves_.empty()) return theta + step;

    const auto columns = static_cast<Index>(moves_.size());
    Matrix moves(theta.size(), columns);
    Matrix changes(theta.size(), columns);
    for (Index j = 0; j < columns; ++j) {
      moves.col(j) = moves_[j];
      changes.col(j) = changes_[j];
    }
    // The least-squares solution along the directions that the changes span to rounding.
    const lapack::Svd svd = lapack::jacobi_svd(changes);
    const Vector weights =
        (svd.s.array() > 1e-10 * svd.s(0)).select((svd.U.transpose() * step).array() / svd.s.array(), 0.0);
    return theta + step - (moves + changes) * (svd.W * weights);
  }

 private:
  Index memory_;
  std::deque<Vector> moves_, changes_;
  Vector last_theta_, last_step_;
  bool has_last_ = false;
};

/// Rounding of the objective itself: what a step may lose without being a loss.
double slack(double objective) { return 1e-12 * (1 + std::abs(objective)); }

bool usable(const Vector& theta, const Vector& reference) {
  // An extrapolation by more than e¹⁰ in any parameter is a guess, not an acceleration.
  return theta.allFinite() &&
         (theta - reference).cwiseAbs().maxCoeff() < 10 + reference.cwiseAbs().maxCoeff();
}

}  // namespace

Run run(const Problem& problem, const EmOptions& options) {
  Run result;
  EmSummary& summary = result.summary;
  const Layout& layout = problem.layout();
  Anderson anderson(std::min<Index>(layout.size(), 8));

  Vector theta = problem.start();
  Evaluation here = problem.evaluate(theta);
  summary.steps = 1;
  double previous = here.step.objective();
  const auto record = [&](Evaluation& at, const Vector& point) {
    at.step.evaluations = summary.steps;
    at.step.parameter_change = layout.relative_change(point, at.next);
    at.step.evidence_change =
        std::abs(at.step.objective() - previous) / std::max(1.0, std::abs(at.step.objective()));
    previous = at.step.objective();
    summary.trace.push_back(at.step);
  };
  const auto go_on = [&] { return !options.progress || options.progress(summary.trace.back()); };

  record(here, theta);
  while (true) {
    const EmStep& step = summary.trace.back();
    // The first point has no change of the objective yet.
    if (summary.trace.size() > 1 && step.parameter_change < options.tolerance &&
        step.evidence_change < options.tolerance) {
      summary.end = EmEnd::converged;
      break;
    }
    if (!go_on()) {
      summary.end = EmEnd::stopped;
      break;
    }
    if (summary.steps >= options.max_steps) {
      summary.end = EmEnd::step_limit;
      break;
    }
    if (options.accelerate) {
      const Vector proposal =
          here.proposal.size() > 0 ? here.proposal : anderson.propose(theta, here.next - theta);
      if (usable(proposal, here.next)) {
        Evaluation there = problem.evaluate(proposal);
        ++summary.steps;
        if (there.step.objective() >= here.step.objective() - slack(here.step.objective())) {
          theta = proposal;
          here = std::move(there);
          record(here, theta);
          continue;
        }
      }
      anderson.restart();
      if (summary.steps >= options.max_steps) continue;
    }
    Evaluation there = problem.evaluate(here.next);
    ++summary.steps;
    if (there.step.objective() < here.step.objective() - slack(here.step.objective())) {
      summary.end = EmEnd::rounding;
      break;
    }
    theta = here.next;
    here = std::move(there);
    record(here, theta);
  }
  // The M-step of the last point is still to be taken: it only loses by rounding, and then it is not.
  Evaluation last = problem.evaluate(here.next);
  if (last.step.objective() >= here.step.objective()) {
    theta = here.next;
    record(last, theta);
  }
  result.theta = theta;
  summary.noise_scale = summary.trace.back().noise_scale;
  return result;
}

}  // namespace mbll::em
