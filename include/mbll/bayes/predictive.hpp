#pragma once

#include <memory>
#include <vector>

#include "mbll/bayes/covariance.hpp"
#include "mbll/core.hpp"

namespace mbll {

struct Interval {
  Matrix lower;  ///< p×L
  Matrix upper;  ///< p×L
};

/// Predictive distribution at L new points, p outputs each, with its parts. One interface for a single
/// posterior (Gaussian or t), for the model with unrelated covariances and for mixtures of members. Points
/// are treated one by one; joint distributions over points come from the posterior's `predict_joint`.
class Predictive {
 public:
  virtual ~Predictive() = default;

  [[nodiscard]] Index outputs() const { return mean().rows(); }
  [[nodiscard]] Index points() const { return mean().cols(); }
  [[nodiscard]] virtual const Matrix& mean() const = 0;                      ///< p×L
  [[nodiscard]] virtual Matrix aleatoric_covariance(Index point) const = 0;  ///< p×p: noise
  [[nodiscard]] virtual Matrix epistemic_covariance(
      Index point) const = 0;                                   ///< p×p: what more data would remove
  [[nodiscard]] virtual Matrix aleatoric_variance() const = 0;  ///< p×L, diagonals of the above
  [[nodiscard]] virtual Matrix epistemic_variance() const = 0;  ///< p×L
  [[nodiscard]] Matrix total_covariance(Index point) const {
    return aleatoric_covariance(point) + epistemic_covariance(point);
  }
  [[nodiscard]] Matrix total_variance() const { return aleatoric_variance() + epistemic_variance(); }

  /// The total covariance by its factors, usable where the matrix is singular to rounding. Throws
  /// InvalidArgument where it is infinite (dof ≤ 2).
  [[nodiscard]] virtual Covariance total_factored(Index point) const = 0;

  /// ln p(y_l | data) per point, joint over the outputs (L): (P2), (P3) of docs/math.md.
  [[nodiscard]] virtual Vector log_density(const MatrixView& Y /* p×L */) const = 0;
  /// ln p(y_jl | data) of each output's marginal (p×L).
  [[nodiscard]] virtual Matrix marginal_log_density(const MatrixView& Y /* p×L */) const = 0;
  /// Marginal probability of values below y (p×L).
  [[nodiscard]] virtual Matrix cdf(const MatrixView& Y /* p×L */) const = 0;
  /// Central interval of each output's marginal, (P4). Throws InvalidArgument unless 0 < level < 1.
  [[nodiscard]] virtual Interval interval(double level) const = 0;
  /// Per point, the probability inside the ellipsoid around the mean whose boundary runs through y (L): y
  /// lies in the joint region of level α if this is ≤ α, (P5). χ²_p for Gaussians, F for t; mixtures use
  /// their total covariance and χ²_p.
  [[nodiscard]] virtual Vector ellipsoid_level(const MatrixView& Y /* p×L */) const = 0;
  /// Continuous ranked probability score of each marginal (p×L): (Q4), (Q5).
  [[nodiscard]] virtual Matrix crps(const MatrixView& Y /* p×L */) const = 0;
  /// `count` draws, each p×L, independent over points.
  [[nodiscard]] virtual std::vector<Matrix> sample(Index count, Rng& rng) const = 0;
  /// Degrees of freedom of the t distribution; infinite for Gaussians.
  [[nodiscard]] virtual double dof() const = 0;
  /// The distribution of scale ∘ y + shift (scale > 0), (P8): back to the units of the data.
  [[nodiscard]] virtual std::unique_ptr<Predictive> rescaled(const VectorView& scale /* p */,
                                                             const VectorView& shift /* p */) const = 0;
};

/// Predictive whose covariance at every point is a multiple of one p×p matrix: aleatoric a_l S, epistemic e_l
/// S with S = V (known) or S = (Ψ + S_y|x)/(ν + N − 2p − 2) (unknown; t distributed).
class SharedPredictive final : public Predictive {
 public:
  /// `row_covariance` is S above; `dof` is ν + N − 2p > 2, or infinity for V known. Throws InvalidArgument if
  /// shapes do not fit, a_l ≤ 0, e_l < 0, S is not positive definite or dof ≤ 2 (see `from_scale`).
  SharedPredictive(Matrix mean, Vector aleatoric_factor, Vector epistemic_factor, Matrix row_covariance,
                   double dof);
  /// By the scale matrix: y_l is t distributed with `dof` > 0 degrees of freedom and scale (a_l + e_l)·scale,
  /// that is V or (Ψ + S_y|x)/dof. With dof ≤ 2 the covariances do not exist: they are reported as infinite,
  /// everything else holds.
  static SharedPredictive from_scale(Matrix mean, Vector aleatoric_factor, Vector epistemic_factor,
                                     Covariance scale, double dof);

  [[nodiscard]] const Vector& aleatoric_factor() const { return aleatoric_factor_; }  ///< a_l = σ²(x_l)
  [[nodiscard]] const Vector& epistemic_factor() const { return epistemic_factor_; }  ///< e_l = φ_lᵀ C φ_l
  [[nodiscard]] const Matrix& row_covariance() const { return row_covariance_; }      ///< S
  [[nodiscard]] const Covariance& row_scale() const { return scale_; }                ///< S (dof − 2)/dof

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
  [[nodiscard]] double dof() const override { return dof_; }
  [[nodiscard]] std::unique_ptr<Predictive> rescaled(const VectorView& scale,
                                                     const VectorView& shift) const override;

 private:
  struct ByScale {};
  SharedPredictive(ByScale, Matrix mean, Vector aleatoric_factor, Vector epistemic_factor, Covariance scale,
                   double dof);
  [[nodiscard]] Vector quadratic_form(const MatrixView& Y) const;
  [[nodiscard]] Matrix standardised(const MatrixView& Y) const;

  Matrix mean_;
  Vector aleatoric_factor_;
  Vector epistemic_factor_;
  Covariance scale_;
  Matrix row_covariance_;
  double dof_;
};

}  // namespace mbll
