#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mbll/bayes/posterior.hpp"
#include "mbll/em/em.hpp"
#include "mbll/model/encoder.hpp"

namespace mbll {

/// Where M, the prior mean of the last layer, starts (and stays, unless it is estimated).
enum class PriorMean { zero, ones, pretrained };
/// H of the hyperprior on K.
enum class HyperpriorKind { none, identity, scale_invariant };

/// Names as on the command line; the latter two throw InvalidArgument that lists the known ones.
[[nodiscard]] const char* name_of(PriorMean prior_mean);
[[nodiscard]] const char* name_of(HyperpriorKind kind);
[[nodiscard]] PriorMean prior_mean_from_name(const std::string& name);
[[nodiscard]] HyperpriorKind hyperprior_from_name(const std::string& name);

/// The Bayesian last layer: its prior and how its hyperparameters are found.
struct LayerOptions {
  /// V fixed at the outputs' covariance (its scale is σ²); otherwise V ~ IW(Ψ, ν) and Ψ is estimated.
  bool covariance_known = true;
  PriorMean prior_mean = PriorMean::zero;
  bool update_mean = false;  ///< estimate M with K; needs a hyperprior
  ColumnStructure column = ColumnStructure::isotropic;
  std::vector<Index> blocks;  ///< for ColumnStructure::blocks
  RowStructure row = RowStructure::full;
  HyperpriorKind hyperprior = HyperpriorKind::none;
  double hyperprior_nu = 1;
  double nu_excess = 3;      ///< ν = 2p + nu_excess when V is unknown
  bool update_noise = true;  ///< estimate the scale of σ(x); with V unknown Ψ takes that part
  double tolerance = 1e-4;
  int max_steps = 1000;
  bool accelerate = true;
  std::function<bool(const EmStep&)> progress;

  void validate() const;
};

struct LayerFit {
  Posterior posterior;
  double noise_scale;     ///< on the σ of the statistics
  Matrix prior_mean;      ///< M, p×d
  Vector prior_variance;  ///< diagonal of K, d
  EmSummary em;
};

/// Hyperparameters by EM, then the posterior. `V` is the covariance between outputs when it is known, and the
/// start of Ψ when it is not. `pretrained` is the mean head of a network, for PriorMean::pretrained.
[[nodiscard]] LayerFit fit_layer(const Statistics& data, const Covariance& V,
                                 const std::optional<Matrix>& pretrained, const LayerOptions& options);

/// Statistics of some samples of X, Y as an encoder sees them, made block by block: memory O((d+p)²) and a
/// few blocks. `given` is σ per sample of X (empty unless the noise is given).
[[nodiscard]] Statistics encode_statistics(const Encoder& encoder, const MatrixView& X /* q×N */,
                                           const MatrixView& Y /* p×N */, const VectorView& given,
                                           const std::vector<Index>& samples, StatisticsOptions options = {});

/// Covariance of outputs over some samples, with a ridge that keeps constant or collinear outputs valid; 1
/// for one output.
[[nodiscard]] Covariance output_covariance(const MatrixView& Y /* p×N */, const std::vector<Index>& samples);

}  // namespace mbll
