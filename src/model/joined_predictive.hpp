#pragma once

#include <memory>
#include <vector>

#include "mbll/bayes/predictive.hpp"

namespace mbll {

/// Predictives of different points, one after the other: what several members say of the parts that they held
/// out.
class JoinedPredictive final : public Predictive {
 public:
  explicit JoinedPredictive(std::vector<std::shared_ptr<const Predictive>> parts);

  [[nodiscard]] const Matrix& mean() const override { return mean_; }
  [[nodiscard]] Matrix aleatoric_covariance(Index point) const override;
  [[nodiscard]] Matrix epistemic_covariance(Index point) const override;
  [[nodiscard]] Matrix aleatoric_variance() const override;
  [[nodiscard]] Matrix epistemic_variance() const override;
  [[nodiscard]] Covariance total_factored(Index point) const override;
  [[nodiscard]] Vector log_density(const MatrixView& Y) const override;
  [[nodiscard]] Matrix marginal_log_density(const MatrixView& Y) const override;
  [[nodiscard]] Matrix cdf(const MatrixView& Y) const override;
  [[nodiscard]] Interval interval(double level) const override;
  [[nodiscard]] Vector ellipsoid_level(const MatrixView& Y) const override;
  [[nodiscard]] Matrix crps(const MatrixView& Y) const override;
  [[nodiscard]] std::vector<Matrix> sample(Index count, Rng& rng) const override;
  [[nodiscard]] double dof() const override;
  [[nodiscard]] std::unique_ptr<Predictive> rescaled(const VectorView& scale,
                                                     const VectorView& shift) const override;

 private:
  /// Calls f(part, first point) and puts the p×L_part results side by side.
  template <class F>
  [[nodiscard]] Matrix side_by_side(Index rows, F f) const;
  /// The part that holds a point, and the point's place in it.
  [[nodiscard]] std::pair<const Predictive*, Index> find(Index point) const;

  std::vector<std::shared_ptr<const Predictive>> parts_;
  Matrix mean_;
};

}  // namespace mbll
