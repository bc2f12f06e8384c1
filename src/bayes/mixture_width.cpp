#include "mbll/bayes/mixture_width.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <memory>

#include "mbll/bayes/mixture.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

double log_density_of_widened(const HeldOutMixture& mixture, double factor) {
  std::vector<std::shared_ptr<const Predictive>> members;
  for (const SharedPredictive& member : mixture.members)
    members.push_back(std::make_shared<const SharedPredictive>(with_covariance_scaled(member, factor)));
  return MixturePredictive(members).log_density(mixture.Y).sum();
}

}  // namespace

double best_covariance_factor(const std::vector<HeldOutMixture>& mixtures) {
  check::require(!mixtures.empty(), "mixtures", "is empty, expected at least one");
  const auto loss = [&](double log_factor) {
    double sum = 0;
    for (const HeldOutMixture& mixture : mixtures)
      sum -= log_density_of_widened(mixture, std::exp(log_factor));
    return sum;
  };
  // Members that cover their own error leave little to correct; beyond e^±5 something else is wrong.
  constexpr double kFarthest = 5;
  constexpr int kBits = 20;  // of ln factor: far finer than the samples can tell
  return std::exp(boost::math::tools::brent_find_minima(loss, -kFarthest, kFarthest, kBits).first);
}

double extrapolated_covariance_factor(double pair_factor, Index members) {
  check::positive("pair_factor", pair_factor);
  check::require(members >= 2, "members", fmt::format("are {}, expected at least 2", members));
  if (pair_factor >= 1) return pair_factor;  // too narrow by themselves: that does not depend on their number
  // Not even members with independent errors get below ½.
  const double excess = 1 - std::max(0.5, pair_factor);
  const double correlation = 1 - excess - excess * excess;
  return std::pow(correlation, 2 * (1 - 1 / static_cast<double>(members)));
}

SharedPredictive with_covariance_scaled(const SharedPredictive& predictive, double factor) {
  return SharedPredictive::from_scale(predictive.mean(), predictive.aleatoric_factor(),
                                      predictive.epistemic_factor(), predictive.row_scale().scaled(factor),
                                      predictive.dof());
}

Posterior with_covariance_scaled(const Posterior& posterior, double factor) {
  return Posterior::from_parts(posterior.mean(), posterior.column_covariance(),
                               posterior.row_scale().scaled(factor), posterior.nu(),
                               posterior.residual_scatter(), posterior.log_evidence(), posterior.samples());
}

}  // namespace mbll
