#pragma once

#include <memory>
#include <vector>

#include "mbll/bayes/predictive.hpp"
#include "mbll/core.hpp"

namespace mbll {

/// Weighted mixture of predictives of the same points: an ensemble of networks, or models weighted by their
/// evidence, (P6) and (P7) of docs/math.md. Aleatoric: the weighted mean of the members'. Epistemic: the
/// weighted mean of the members' plus the spread of their means; the sum is the mixture's covariance (law of
/// total variance). A mixture of mixtures is flattened.
class MixturePredictive final : public Predictive {
 public:
  /// Equal weights. Throws InvalidArgument if there is no member or sizes differ.
  explicit MixturePredictive(const std::vector<std::shared_ptr<const Predictive>>& members);
  /// Weights ≥ 0 with a positive sum; they are normalised.
  MixturePredictive(std::vector<std::shared_ptr<const Predictive>> members, const VectorView& weights);

  [[nodiscard]] const std::vector<std::shared_ptr<const Predictive>>& members() const { return members_; }
  [[nodiscard]] const Vector& weights() const { return weights_; }

  [[nodiscard]] const Matrix& mean() const override { return mean_; }
  [[nodiscard]] Matrix aleatoric_covariance(Index point) const override;
  [[nodiscard]] Matrix epistemic_covariance(Index point) const override;
  [[nodiscard]] Matrix aleatoric_variance() const override;
  [[nodiscard]] Matrix epistemic_variance() const override;
  [[nodiscard]] Covariance total_factored(Index point) const override;
  [[nodiscard]] Vector log_density(const MatrixView& Y) const override;
  [[nodiscard]] Matrix marginal_log_density(const MatrixView& Y) const override;
  [[nodiscard]] Matrix cdf(const MatrixView& Y) const override;
  /// Quantiles of the mixture's cdf by bracketed root finding, to 1e-12 of the members' widths.
  [[nodiscard]] Interval interval(double level) const override;
  /// One output: |2F(y) − 1|, the level of the central interval that ends at y. More: χ²_p of the Mahalanobis
  /// length in the total covariance (0 where a t member with two or fewer degrees of freedom makes that
  /// infinite).
  [[nodiscard]] Vector ellipsoid_level(const MatrixView& Y) const override;
  /// Closed form E|X − y| − ½E|X − X'| for Gaussian members, quadrature of ∫(F − 1{x ≥ y})² dx with t
  /// members.
  [[nodiscard]] Matrix crps(const MatrixView& Y) const override;
  [[nodiscard]] std::vector<Matrix> sample(Index count, Rng& rng) const override;
  /// The smallest of the members': it rules the tails.
  [[nodiscard]] double dof() const override;
  [[nodiscard]] std::unique_ptr<Predictive> rescaled(const VectorView& scale,
                                                     const VectorView& shift) const override;

 private:
  std::vector<std::shared_ptr<const Predictive>> members_;
  Vector weights_;
  Matrix mean_;
  std::vector<Matrix>
      marginal_scale_;  ///< per member p×L: its marginals are mean + scale · (standard t or Gaussian)
};

}  // namespace mbll
