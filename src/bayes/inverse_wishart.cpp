#include "mbll/bayes/inverse_wishart.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "bayes/stacked_root.hpp"
#include "mbll/error.hpp"

namespace mbll {

InverseWishart::InverseWishart(Covariance Psi, double nu) : Psi_(std::move(Psi)), nu_(nu) {
  check::require(std::isfinite(nu) && nu > 2 * static_cast<double>(Psi_.size()), "nu",
                 fmt::format("is {}, expected a finite number > 2p = {}", nu, 2 * Psi_.size()));
}

Matrix InverseWishart::mean() const {
  const double divisor = nu_ - 2 * static_cast<double>(Psi_.size()) - 2;
  check::require(divisor > 0, "nu", fmt::format("is {}, the mean exists only for nu > 2p + 2", nu_));
  return Psi_.matrix() / divisor;
}

Matrix InverseWishart::mode() const { return Psi_.matrix() / nu_; }

Matrix InverseWishart::mean_precision() const {
  return (nu_ - static_cast<double>(Psi_.size()) - 1) * Psi_.precision();
}

double InverseWishart::log_density(const Covariance& V) const {
  check::require(V.size() == Psi_.size(), "V",
                 fmt::format("is {0}×{0}, expected {1}×{1}", V.size(), Psi_.size()));
  const auto p = static_cast<double>(Psi_.size());
  const double m = nu_ - p - 1;
  double log_gamma = 0.25 * p * (p - 1) * std::log(std::numbers::pi);  // ln Γ_p(m/2)
  for (Index j = 0; j < Psi_.size(); ++j)
    log_gamma += boost::math::lgamma(0.5 * (m - static_cast<double>(j)));
  return 0.5 * m * Psi_.log_determinant() - 0.5 * nu_ * V.log_determinant() -
         0.5 * V.whiten(Psi_.factor()).squaredNorm() - 0.5 * m * p * std::numbers::ln2 - log_gamma;
}

Covariance InverseWishart::sample(Rng& rng) const {
  // V = F (B Bᵀ)⁻¹ Fᵀ with Ψ = F Fᵀ and B Bᵀ ~ Wishart(I, m), B lower triangular: its QR gives the factor of
  // V.
  const Index p = Psi_.size();
  const double m = nu_ - static_cast<double>(p) - 1;
  std::normal_distribution<double> normal;
  Matrix B = Matrix::Zero(p, p);
  for (Index i = 0; i < p; ++i) {
    // not zero, which a draw with few degrees of freedom can round to
    B(i, i) =
        std::sqrt(std::max(1e-300, std::chi_squared_distribution<double>(m - static_cast<double>(i))(rng)));
    for (Index j = 0; j < i; ++j) B(i, j) = normal(rng);
  }
  Matrix root = Psi_.factor().transpose();
  B.triangularView<Eigen::Lower>().solveInPlace(root);  // rootᵀ root = V
  return covariance_of_root(std::move(root));
}

}  // namespace mbll
