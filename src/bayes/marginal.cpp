#include "bayes/marginal.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace mbll::marginal {
namespace {

using boost::math::complement;

const double log_two_pi = std::log(2 * std::numbers::pi);

/// Overflow is an answer here (a level so close to 1 that the quantile is infinite), not an error.
using Policy =
    boost::math::policies::policy<boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using StudentT = boost::math::students_t_distribution<double, Policy>;

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

}  // namespace

double log_gamma_ratio(double x, double delta) {
  if (delta <= 50) return -std::log(boost::math::tgamma_delta_ratio(x, delta, Policy()));
  return std::lgamma(x + delta) - std::lgamma(x);
}

double log_multivariate_gamma_ratio(std::ptrdiff_t p, double x, double delta) {
  double sum = 0;
  for (std::ptrdiff_t j = 0; j < p; ++j) sum += log_gamma_ratio(x - 0.5 * static_cast<double>(j), delta);
  return sum;
}

double log_density(double z, double dof) {
  if (std::isinf(dof)) return -0.5 * (log_two_pi + z * z);
  return log_gamma_ratio(0.5 * dof, 0.5) - 0.5 * std::log(dof * std::numbers::pi) -
         0.5 * (dof + 1) * std::log1p(z * (z / dof));
}

double cdf(double z, double dof) {
  if (std::isinf(dof)) return 0.5 * std::erfc(-z / std::numbers::sqrt2);
  if (std::isinf(z)) return z > 0 ? 1.0 : 0.0;
  return boost::math::cdf(StudentT(dof), z);
}

double central_quantile(double level, double dof) {
  const double tail = 0.5 * (1 - level);  // not (1 + level)/2: that rounds to 1
  if (std::isinf(dof)) return boost::math::quantile(complement(Normal(), tail));
  return boost::math::quantile(complement(StudentT(dof), tail));
}

double crps(double z, double dof) {
  const double below = cdf(z, dof);
  if (std::isinf(dof)) return z * (2 * below - 1) + 2 * normal_density(z) - 1 / std::sqrt(std::numbers::pi);
  if (dof <= 0.5) return std::numeric_limits<double>::infinity();
  // Without a mean (dof ≤ 1) the score still exists as an integral, but the closed form is a difference of
  // infinities.
  if (dof < 1.01) return crps_by_quadrature([&](double x) { return cdf(x, dof); }, z, 1.0);
  // Jordan, Krüger & Lerch (2019), with B(½, b) = √π Γ(b)/Γ(b + ½).
  const double density = std::exp(log_density(z, dof));
  const double spread = 2 * std::sqrt(dof) / (dof - 1) * boost::math::tgamma_delta_ratio(dof - 0.5, 0.5) /
                        std::pow(boost::math::tgamma_delta_ratio(0.5 * dof, 0.5), 2) /
                        std::sqrt(std::numbers::pi);
  return z * (2 * below - 1) + 2 * density * (dof + z * z) / (dof - 1) - spread;
}

double crps_by_quadrature(const std::function<double(double)>& F, double y, double scale) {
  boost::math::quadrature::exp_sinh<double> integrator;
  const auto lower = [&](double t) { return std::pow(F(y - scale * t), 2); };
  const auto upper = [&](double t) { return std::pow(1 - F(y + scale * t), 2); };
  const double infinity = std::numeric_limits<double>::infinity();
  return scale * (integrator.integrate(lower, 0.0, infinity, 1e-10) +
                  integrator.integrate(upper, 0.0, infinity, 1e-10));
}

double ellipsoid_level(double q, double p, double dof) {
  if (std::isinf(q)) return 1;
  if (std::isinf(dof)) return boost::math::gamma_p(0.5 * p, 0.5 * q);
  return boost::math::ibeta(0.5 * p, 0.5 * dof, q / (q + dof));
}

}  // namespace mbll::marginal
