#pragma once

#include <functional>

#include "mbll/core.hpp"

namespace mbll {

/// How blocks of samples are turned into the square root R; automatic takes the Gram matrix where (S7) of
/// docs/math.md allows it.
enum class StatisticsMethod {
  automatic,    ///< Gram matrix (dsyrk + Cholesky) where its condition makes that safe, else QR
  square_root,  ///< always QR
};

struct StatisticsOptions {
  StatisticsMethod method = StatisticsMethod::automatic;
  int threads = 1;  ///< 0: all cores. The result is the same, bit for bit, for any number.
};

/// Writes the samples [first, first + Phi.cols()) into its arguments (sigma comes in as 1). Called from
/// several threads at once, and twice for the same samples where the Gram path turns out not to be safe: it
/// must write the same both times.
using BlockSource = std::function<void(Index first, MatrixSpan Phi, MatrixSpan Y, VectorSpan sigma)>;

/// What the data says about the last layer: the upper triangular R with Rᵀ R = [Φ; Y] D⁻¹ [Φ; Y]ᵀ (eq. S1 of
/// docs/math.md, diagonal ≥ 0), the number of samples and Σ ln σᵢ². Memory O((d+p)²), whatever N.
class Statistics {
 public:
  Statistics(Index features, Index outputs, StatisticsOptions options = {});

  /// Adds N samples. Throws InvalidArgument (and changes nothing) for wrong shapes, non-finite values or σ ≤
  /// 0. The data is read in place. Cost: one dsyrk of the (d+p)×N stack where that is safe, QR (2 to 3 times
  /// that) where not.
  void add(const MatrixView& Phi /* d×N */, const MatrixView& Y /* p×N */, const VectorView& sigma /* N */);
  void add(const MatrixView& Phi /* d×N */, const MatrixView& Y /* p×N */);  ///< σ = 1, without a copy
  /// One sample, O((d+p)²), no heap allocation after the first call.
  void add_sample(const VectorView& phi /* d */, const VectorView& y /* p */, double sigma);
  /// Statistics of both data sets together, (S3). Throws InvalidArgument if the sizes differ. O((d+p)³)
  void merge(const Statistics& other);
  /// The statistics of the same samples with every σᵢ multiplied by c, (S4). O((d+p)²)
  [[nodiscard]] Statistics with_noise_scaled(double c) const;

  /// Restores statistics from what the accessors below gave (files, other processes). Throws InvalidArgument
  /// if the root is not finite and upper triangular, or the numbers of samples are impossible.
  static Statistics from_parts(Index features, Index outputs, Matrix root, Index samples, Index gram_samples,
                               double log_noise, StatisticsOptions options = {});

  [[nodiscard]] Index features() const { return features_; }
  [[nodiscard]] Index outputs() const { return outputs_; }
  [[nodiscard]] Index samples() const { return samples_; }
  [[nodiscard]] double log_noise() const { return log_noise_; }  ///< Σ ln σᵢ² = ln |D|
  [[nodiscard]] const Matrix& root() const { return root_; }     ///< R, (d+p)×(d+p) upper triangular
  [[nodiscard]] auto feature_root() const { return root_.topLeftCorner(features_, features_); }     ///< d×d
  [[nodiscard]] auto cross_root() const { return root_.topRightCorner(features_, outputs_); }       ///< d×p
  [[nodiscard]] auto residual_root() const { return root_.bottomRightCorner(outputs_, outputs_); }  ///< p×p
  [[nodiscard]] Matrix feature_gram() const;  ///< ΦD⁻¹Φᵀ, d×d
  [[nodiscard]] Matrix cross_gram() const;    ///< YD⁻¹Φᵀ, p×d
  [[nodiscard]] Matrix output_gram() const;   ///< YD⁻¹Yᵀ, p×p
  /// How many samples went in by the Gram path; the rest went by QR.
  [[nodiscard]] Index gram_samples() const { return gram_samples_; }

 private:
  friend Statistics accumulate(Index, Index, Index, const BlockSource&, StatisticsOptions);
  void add_in_memory(const MatrixView& Phi, const MatrixView& Y, const VectorView* sigma);
  void append(Matrix& root, Index samples, Index gram_samples, double log_noise);

  Index features_;
  Index outputs_;
  StatisticsOptions options_;
  Matrix root_;
  Index samples_ = 0;
  Index gram_samples_ = 0;
  double log_noise_ = 0;
  Matrix rotations_;  ///< scratch of add_sample, so that it does not allocate
};

/// Statistics of `samples` samples that are made block by block (features of a network, files), never all in
/// memory.
[[nodiscard]] Statistics accumulate(Index features, Index outputs, Index samples, const BlockSource& source,
                                    StatisticsOptions options = {});

}  // namespace mbll
