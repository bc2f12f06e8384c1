#include "mbll/em/em.hpp"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "em/problem.hpp"
#include "mbll/error.hpp"

namespace mbll {

const char* name_of(EmEnd end) {
  switch (end) {
    case EmEnd::converged:
      return "converged";
    case EmEnd::step_limit:
      return "step_limit";
    case EmEnd::stopped:
      return "stopped";
    case EmEnd::rounding:
      return "rounding";
  }
  return "";
}

void EmOptions::validate(Index features) const {
  check::positive("tolerance", tolerance);
  check::require(max_steps >= 1, "max_steps", fmt::format("is {}, expected at least 1", max_steps));
  if (hyperprior) hyperprior->validate(features);
  check::require(
      !update_mean || hyperprior || unregularised_joint, "update_mean",
      "estimating M together with K needs a hyperprior: without one the evidence degenerates to K = 0 "
      "(set unregularised_joint to see it happen)");
  if (column == ColumnStructure::blocks) {
    const Index total = std::accumulate(blocks.begin(), blocks.end(), Index{0});
    for (const Index block : blocks)
      check::require(block > 0, "blocks", fmt::format("contains {}, expected sizes ≥ 1", block));
    check::require(total == features, "blocks",
                   fmt::format("sum to {}, expected {} features", total, features));
  } else {
    check::require(blocks.empty(), "blocks", "are given, but the structure is not blocks");
  }
}

namespace em {

std::unique_ptr<Problem> make_problem(Parameters start, double nu, const Statistics& data,
                                      const EmOptions& options) {
  if (options.column == ColumnStructure::isotropic)
    return make_spectral_problem(std::move(start), nu, data, options);
  return make_dense_problem(std::move(start), nu, data, options);
}

}  // namespace em

EmResult<NormalPrior> fit_em(const NormalPrior& prior, const Statistics& data, const EmOptions& options) {
  prior.validate();
  options.validate(data.features());
  check::shape("M", prior.M, data.outputs(), data.features());
  const auto problem = em::make_problem({prior.M, prior.K, 1.0, prior.V},
                                        std::numeric_limits<double>::infinity(), data, options);
  em::Run run = em::run(*problem, options);
  const em::Parameters found = problem->values(run.theta);
  NormalPrior next{found.M, prior.V, found.K};
  Posterior posterior = condition(next, data.with_noise_scaled(found.noise_scale));
  return {std::move(run.summary), std::move(next), std::move(posterior)};
}

EmResult<WishartPrior> fit_em(const WishartPrior& prior, const Statistics& data, const EmOptions& options) {
  prior.validate();
  options.validate(data.features());
  check::shape("M", prior.M, data.outputs(), data.features());
  const auto problem = em::make_problem({prior.M, prior.K, 1.0, prior.Psi}, prior.nu, data, options);
  em::Run run = em::run(*problem, options);
  const em::Parameters found = problem->values(run.theta);
  WishartPrior next{found.M, found.K, found.Psi, prior.nu};
  Posterior posterior = condition(next, data.with_noise_scaled(found.noise_scale));
  return {std::move(run.summary), std::move(next), std::move(posterior)};
}

}  // namespace mbll
