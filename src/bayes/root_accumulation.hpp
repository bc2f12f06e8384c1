#pragma once

#include "mbll/bayes/statistics.hpp"
#include "mbll/core.hpp"

/// How samples become the square root R: block by block, over threads, by Gram matrices where that is safe
/// and by QR where it is not. Internal to Statistics.
namespace mbll {

/// Samples, divided by their σ and stacked: z_i = [φ_i; y_i]/σ_i. Called from several threads at once, and
/// more than once for the same samples when the first attempt (Gram matrix) turns out not to be safe.
class ScaledSource {
 public:
  virtual ~ScaledSource() = default;
  /// Writes samples first … first + Z.cols() − 1 and returns their Σ ln σᵢ². Throws InvalidArgument for σ ≤
  /// 0.
  virtual double load(Index first, MatrixSpan Z /* n×count */) const = 0;
  /// Adds z zᵀ of samples first … first + count − 1 to beta times the upper triangle of G and returns their
  /// Σ ln σᵢ²; Z is scratch for them. Sources that have them in memory as they are need not copy them.
  virtual double add_outer_products(Index first, MatrixSpan Z /* n×count */, double beta,
                                    MatrixSpan G /* n×n */) const;
  /// Called when a loaded block holds non-finite values: throws the InvalidArgument that names the culprit.
  [[noreturn]] virtual void explain_non_finite(Index first, Index count) const = 0;
};

struct RootPart {
  Matrix root;  ///< n×n upper triangular, diagonal ≥ 0
  double log_noise = 0;
  Index samples = 0;
  Index gram_samples = 0;
};

/// R of samples 0 … samples − 1. The same bits for any number of threads: the partition depends on `samples`
/// only and parts are merged in their order. Throws what the source throws.
[[nodiscard]] RootPart accumulate_root(Index n, Index samples, const ScaledSource& source,
                                       const StatisticsOptions& options);

}  // namespace mbll
