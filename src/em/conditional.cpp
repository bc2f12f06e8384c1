#include "mbll/em/conditional.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "em/maximise.hpp"
#include "em/problem.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

EmOptions as_em_options(const ConditionalOptions& options) {
  EmOptions em;
  em.column = options.column;
  em.blocks = options.blocks;
  em.update_noise = options.update_noise && !options.estimate_row_covariance;
  return em;
}

}  // namespace

double log_conditional_evidence(const NormalPrior& prior, const Statistics& train, const Statistics& held) {
  return condition(condition(prior, train), held).log_evidence();
}

void ConditionalOptions::validate(Index features) const {
  check::require(column != ColumnStructure::full, "column",
                 "is full, expected isotropic, diagonal or blocks: d(d+1)/2 numbers cannot be chosen on "
                 "held-out samples");
  check::positive("tolerance", tolerance);
  check::require(max_iterations >= 1, "max_iterations",
                 fmt::format("is {}, expected at least 1", max_iterations));
  as_em_options(*this).validate(features);
}

ConditionalResult fit_conditional(const NormalPrior& prior, const Statistics& train, const Statistics& held,
                                  const ConditionalOptions& options) {
  prior.validate();
  options.validate(train.features());
  check::shape("M", prior.M, train.outputs(), train.features());
  check::require(held.features() == train.features() && held.outputs() == train.outputs(), "held",
                 fmt::format("has {} features and {} outputs, train has {} and {}", held.features(),
                             held.outputs(), train.features(), train.outputs()));
  check::require(held.samples() > 0, "held", "has no samples, expected at least 1");
  check::require(!options.estimate_row_covariance || held.samples() > held.outputs(), "held",
                 fmt::format("has {} samples, expected more than the {} outputs to estimate their covariance",
                             held.samples(), held.outputs()));

  Statistics both = train;
  both.merge(held);
  const EmOptions em_options = as_em_options(options);
  const double infinity = std::numeric_limits<double>::infinity();
  const double values = static_cast<double>(held.samples() * held.outputs());

  NormalPrior at = prior;
  double noise_scale = 1;
  ConditionalResult result{at, noise_scale, 0, condition(at, both), 0, false, {}};
  // With V estimated: in turn K given V, and V given K in closed form (eq. C4); each raises the objective.
  const int rounds = options.estimate_row_covariance ? 20 : 1;
  for (int round = 0; round < rounds; ++round) {
    const em::Parameters start{at.M, at.K, noise_scale, at.V};
    const auto joint = em::make_problem(start, infinity, both, em_options);
    const auto before = em::make_problem(start, infinity, train, em_options);
    const auto objective = [&](const Vector& theta, Vector& gradient) {
      const em::Evaluation all = joint->evaluate(theta);
      const em::Evaluation seen = before->evaluate(theta);
      gradient = all.gradient - seen.gradient;
      return all.step.log_evidence - seen.step.log_evidence;
    };
    const em::Maximum best =
        em::maximise(objective, joint->start(), options.tolerance * values, options.max_iterations);
    const em::Parameters found = joint->values(best.x);
    at.K = found.K;
    noise_scale = found.noise_scale;
    result.iterations += best.iterations;
    result.converged = best.converged;
    result.trace.insert(result.trace.end(), best.trace.begin(), best.trace.end());
    result.log_evidence = best.value;
    if (!options.estimate_row_covariance) break;

    // Neither the posterior mean nor Ω depends on V, so its maximiser is the scatter of the held-out
    // residuals.
    const Posterior update = condition(condition(at, train), held);
    Matrix V = update.residual_scatter() / static_cast<double>(held.samples());
    V.diagonal().array() += 1e-12 * V.trace();
    const double before_V = update.log_evidence();
    at.V = Covariance::from_matrix(0.5 * (V + V.transpose()), "V");
    result.log_evidence = log_conditional_evidence(at, train, held);
    result.trace.push_back(result.log_evidence);
    if (std::abs(result.log_evidence - before_V) <= options.tolerance * values) break;
  }
  result.prior = at;
  result.noise_scale = noise_scale;
  result.posterior = condition(at, both.with_noise_scaled(noise_scale));
  return result;
}

}  // namespace mbll
