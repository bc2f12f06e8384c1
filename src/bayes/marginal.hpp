#pragma once

#include <cstddef>
#include <functional>
#include <limits>

/// One-dimensional standard distributions behind the predictives: Student t with `dof` degrees of freedom,
/// Gaussian when dof is infinite. Internal.
namespace mbll::marginal {

inline constexpr double gaussian = std::numeric_limits<double>::infinity();  ///< as `dof`

[[nodiscard]] double log_density(double z, double dof);
[[nodiscard]] double cdf(double z, double dof);
/// The z > 0 with P(|Z| ≤ z) = level.
[[nodiscard]] double central_quantile(double level, double dof);
/// CRPS of the standard distribution at z: ∫ (F(x) − 1{x ≥ z})² dx. Infinite for dof ≤ ½.
[[nodiscard]] double crps(double z, double dof);
/// ∫ (F(x) − 1{x ≥ y})² dx by quadrature, for distributions without a closed form. `scale` is a typical width
/// of F.
[[nodiscard]] double crps_by_quadrature(const std::function<double(double)>& F, double y, double scale);

/// ln Γ(x + delta) − ln Γ(x), without cancellation for large x.
[[nodiscard]] double log_gamma_ratio(double x, double delta);
/// ln Γ_p(x + delta) − ln Γ_p(x), Γ_p the multivariate gamma function of dimension p.
[[nodiscard]] double log_multivariate_gamma_ratio(std::ptrdiff_t p, double x, double delta);
/// Probability that a t_dof vector of dimension p (χ²_p for infinite dof) has squared Mahalanobis length ≤ q.
[[nodiscard]] double ellipsoid_level(double q, double p, double dof);

}  // namespace mbll::marginal
