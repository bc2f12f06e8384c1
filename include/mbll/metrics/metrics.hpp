#pragma once

#include <vector>

#include "mbll/bayes/predictive.hpp"
#include "mbll/core.hpp"

/// How good a predictive distribution is at L points where the outputs y_l (p each) are known. Formulas with
/// their reasons: docs/metrics.md; labels: docs/math.md. All values are in the units of the prediction. Every
/// function throws InvalidArgument unless Y has the predictive's shape p×L with L ≥ 1 and is finite.
namespace mbll {

/// sqrt(1/L Σ_l ‖y_l − ŷ_l‖²), (Q1): over all outputs together.
[[nodiscard]] double rmse(const Predictive& predictive, const MatrixView& Y /* p×L */);
/// sqrt(1/L Σ_l (y_jl − ŷ_jl)²) per output (p).
[[nodiscard]] Vector output_rmse(const Predictive& predictive, const MatrixView& Y /* p×L */);

/// −1/L Σ_l ln p(y_l | data), joint over the outputs, (Q2).
[[nodiscard]] double nll(const Predictive& predictive, const MatrixView& Y /* p×L */);
/// −1/L Σ_l ln p(y_jl | data) of each marginal (p).
[[nodiscard]] Vector output_nll(const Predictive& predictive, const MatrixView& Y /* p×L */);

/// PIT values F_jl(y_jl), uniform on (0, 1) for a calibrated predictive (p×L).
[[nodiscard]] Matrix pit(const Predictive& predictive, const MatrixView& Y /* p×L */);

/// Share of samples inside the region of each level.
struct CalibrationCurve {
  Vector level;     ///< m, in (0, 1)
  Vector joint;     ///< m: inside the ellipsoid of all outputs
  Matrix marginal;  ///< p×m: inside each output's central interval

  /// Mean over the levels of |share − level|: the expected calibration error (Q3).
  [[nodiscard]] double joint_error() const { return (joint - level).cwiseAbs().mean(); }
  [[nodiscard]] Vector marginal_error() const {
    return (marginal.rowwise() - level.transpose()).cwiseAbs().rowwise().mean();
  }
};
/// y lies in the central interval of level α if |2F(y) − 1| ≤ α, and in the joint region if ellipsoid_level ≤
/// α. Throws InvalidArgument for a level outside (0, 1). Cost O(p L (ln L + m)) beside the predictive's own.
[[nodiscard]] CalibrationCurve calibration_curve(const Predictive& predictive, const MatrixView& Y /* p×L */,
                                                 const VectorView& levels /* m */);
/// 0.01, 0.02, …, 0.99.
[[nodiscard]] Vector central_levels();
/// Expected calibration error of the joint regions over the central levels.
[[nodiscard]] double ece(const Predictive& predictive, const MatrixView& Y /* p×L */);
/// The same of each output's central intervals (p).
[[nodiscard]] Vector output_ece(const Predictive& predictive, const MatrixView& Y /* p×L */);

/// Mean continuous ranked probability score 1/L Σ_l ∫ (F_jl(t) − 1{t ≥ y_jl})² dt of each output (p), (Q4).
[[nodiscard]] Vector output_crps(const Predictive& predictive, const MatrixView& Y /* p×L */);

/// sqrt(1/L Σ_l Var(y_jl | data)) of each output (p), (Q6). Infinite for a t distribution with dof ≤ 2.
[[nodiscard]] Vector output_sharpness(const Predictive& predictive);

/// Mean interval score of each output (p) at a level 1 − a: (u − l) + 2/a (l − y)⁺ + 2/a (y − u)⁺, (Q7).
[[nodiscard]] Vector output_interval_score(const Predictive& predictive, const MatrixView& Y /* p×L */,
                                           double level);

/// Everything above at once.
struct Evaluation {
  /// One output, or all of them together.
  struct Scores {
    double rmse = 0;
    double nll = 0;
    double ece = 0;
    double crps = 0;  ///< all together: mean over the outputs
    double sharpness =
        0;  ///< all together: sqrt of the mean over samples of the total variance's trace, like the RMSE
    double interval_score = 0;  ///< at 95 %; all together: mean over the outputs
    Vector coverage;            ///< at `coverage_levels`; all together: of the ellipsoid
  };
  Index samples = 0;
  Vector coverage_levels;  ///< 0.5, 0.9, 0.95, 0.99
  Scores joint;
  std::vector<Scores> outputs;   ///< p
  CalibrationCurve calibration;  ///< at the central levels
};
[[nodiscard]] Evaluation evaluate(const Predictive& predictive, const MatrixView& Y /* p×L */);

}  // namespace mbll
