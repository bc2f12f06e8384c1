#include "mbll/em/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "bayes/lapack.hpp"
#include "em/problem.hpp"
#include "mbll/error.hpp"
#include "mbll/parallel.hpp"

namespace mbll {
namespace {

LaplaceEvidence laplace(const em::Problem& problem, double objective) {
  const Vector theta = problem.start();
  const Index n = theta.size();
  Matrix hessian(n, n);
  for (Index i = 0; i < n; ++i) {
    // Gradients are exact, so one central difference of them is accurate to h².
    const double h = 1e-4 * std::max(1.0, std::abs(theta(i)) * 1e-2);
    Vector ahead = theta;
    Vector behind = theta;
    ahead(i) += h;
    behind(i) -= h;
    hessian.col(i) = (problem.evaluate(ahead).gradient - problem.evaluate(behind).gradient) / (2 * h);
  }
  const Matrix information = -0.5 * (hessian + hessian.transpose());
  const Vector curvature = lapack::symmetric_eigen(information).values;
  constexpr double kFlat = 1e-2;  // standard deviation 10 in ln ξ
  LaplaceEvidence result{objective, n, 0};
  for (Index i = 0; i < n; ++i) {
    if (!(curvature(i) > kFlat)) ++result.flat_directions;
    result.log_model_evidence +=
        0.5 * std::log(2 * std::numbers::pi) - 0.5 * std::log(curvature(i) > kFlat ? curvature(i) : kFlat);
  }
  return result;
}

/// With M free the coordinates of θ count: the dense form has M itself, the spectral one rotates and whitens
/// it.
std::unique_ptr<em::Problem> laplace_problem(em::Parameters at, double nu, const Statistics& data,
                                             const EmOptions& options) {
  return options.update_mean ? em::make_dense_problem(std::move(at), nu, data, options)
                             : em::make_problem(std::move(at), nu, data, options);
}

}  // namespace

LaplaceEvidence laplace_evidence(const EmResult<NormalPrior>& optimum, const Statistics& data,
                                 const EmOptions& options) {
  const auto problem =
      laplace_problem({optimum.prior.M, optimum.prior.K, optimum.noise_scale, optimum.prior.V},
                      std::numeric_limits<double>::infinity(), data, options);
  return laplace(*problem, optimum.trace.back().objective());
}

LaplaceEvidence laplace_evidence(const EmResult<WishartPrior>& optimum, const Statistics& data,
                                 const EmOptions& options) {
  const auto problem =
      laplace_problem({optimum.prior.M, optimum.prior.K, optimum.noise_scale, optimum.prior.Psi},
                      optimum.prior.nu, data, options);
  return laplace(*problem, optimum.trace.back().objective());
}

std::vector<RankedCandidate> select(const std::vector<Candidate>& candidates, int threads) {
  check::require(!candidates.empty(), "candidates", "is empty, expected at least one");
  for (const Candidate& candidate : candidates) {
    const Statistics& data = candidate.data;
    const Statistics& first = candidates.front().data;
    check::require(data.samples() == first.samples() && data.outputs() == first.outputs(), "candidates",
                   fmt::format("'{}' explains {} samples of {} outputs, '{}' explains {} of {}",
                               candidate.name, data.samples(), data.outputs(), candidates.front().name,
                               first.samples(), first.outputs()));
  }
  const auto count = static_cast<Index>(candidates.size());
  std::vector<std::optional<RankedCandidate>> results(candidates.size());
  parallel_for(count, thread_count(threads), [&](Index i) {
    const Candidate& candidate = candidates[i];
    std::visit(
        [&](const auto& prior) {
          const auto optimum = fit_em(prior, candidate.data, candidate.options);
          results[i] = RankedCandidate{candidate.name, i,
                                       laplace_evidence(optimum, candidate.data, candidate.options), optimum};
        },
        candidate.prior);
  });
  std::vector<RankedCandidate> ranked;
  ranked.reserve(candidates.size());
  for (auto& result : results) ranked.push_back(std::move(*result));
  std::stable_sort(ranked.begin(), ranked.end(), [](const RankedCandidate& a, const RankedCandidate& b) {
    return a.evidence.log_model_evidence > b.evidence.log_model_evidence;
  });
  return ranked;
}

}  // namespace mbll
