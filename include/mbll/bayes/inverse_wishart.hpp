#pragma once

#include "mbll/bayes/covariance.hpp"
#include "mbll/core.hpp"

namespace mbll {

/// IW(Ψ, ν) in Gupta & Nagar's convention, (T1) of docs/math.md: density ∝ |Ψ|^{(ν−p−1)/2} |V|^{−ν/2}
/// etr(−½V⁻¹Ψ), ν > 2p. (The common convention's degrees of freedom are ν − p − 1.)
class InverseWishart {
 public:
  /// Throws InvalidArgument unless nu is finite and > 2p.
  InverseWishart(Covariance Psi /* p×p */, double nu);

  [[nodiscard]] const Covariance& scale() const { return Psi_; }
  [[nodiscard]] double nu() const { return nu_; }
  /// Ψ/(ν − 2p − 2). Throws InvalidArgument if ν ≤ 2p + 2, where it does not exist.
  [[nodiscard]] Matrix mean() const;
  [[nodiscard]] Matrix mode() const;            ///< Ψ/ν
  [[nodiscard]] Matrix mean_precision() const;  ///< E[V⁻¹] = (ν − p − 1)Ψ⁻¹
  [[nodiscard]] double log_density(const Covariance& V /* p×p */) const;
  /// A draw of V (Bartlett).
  [[nodiscard]] Covariance sample(Rng& rng) const;

 private:
  Covariance Psi_;
  double nu_;
};

}  // namespace mbll
