#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mbll/bayes/predictive.hpp"
#include "mbll/em/conditional.hpp"
#include "mbll/model/layer.hpp"
#include "mbll/nn/train.hpp"

/// From data to fitted members. All pipelines work on the values as they are: standardise before. `given` is
/// σ per sample for given noise, and empty otherwise. Samples are named by their indices, so nothing is
/// copied.
namespace mbll {

/// One fitted last layer on its features.
struct Member {
  Encoder encoder;
  Posterior posterior;

  [[nodiscard]] SharedPredictive predict(const MatrixView& X /* q×L */,
                                         const VectorView& given = Vector()) const;
};

struct MemberFit {
  Member member;
  EmSummary em;                  ///< the last EM run, with frozen features; empty for conditional evidence
  double log_evidence = 0;       ///< ln p of the samples that chose the hyperparameters
  Index evidence_samples = 0;    ///< how many these were
  double prior_variance = 0;     ///< mean of the diagonal of K
  nn::TrainingSummary training;  ///< of the network; no epochs for fixed features
  std::vector<EmStep> rounds;    ///< one point per round of end-to-end training
  bool converged = false;        ///< of what chose the hyperparameters
};

/// The shape of the network and how it is trained by its own likelihood.
struct NetworkOptions {
  std::vector<Index> hidden = {50, 50};
  nn::Activation activation = nn::Activation::leaky_relu;
  bool variance_head = true;  ///< σ(x) from the network; otherwise constant
  double spectral_bound = 0;
  bool mirrored = false;  ///< features φ(−x) beside φ(x)
  double beta = 0;        ///< of β-NLL
  nn::TrainingOptions training;
  /// Judge the features every so many epochs by what the Bayesian layer on them says of the validation
  /// samples, halve the rate when that no longer improves, and keep the best. 0: train once, as `training`
  /// says.
  Index checkpoint_epochs = 0;
};

/// Fixed features, hyperparameters by EM.
[[nodiscard]] MemberFit fit_fixed(const FeatureMap& features, const MatrixView& X /* q×N */,
                                  const MatrixView& Y /* p×N */, const VectorView& given,
                                  const std::vector<Index>& samples, const LayerOptions& layer,
                                  int threads = 1);

/// Network M-steps between E-steps: algorithm ELBO_EM_framework.
struct EndToEndOptions {
  /// EM sees the validation samples too. The features have not been trained on them, so the evidence is less
  /// optimistic.
  bool em_on_validation = false;
  int rounds = 0;      ///< 0: features stay as pretraining left them (two-phase)
  Index epochs = 20;   ///< of the network M-step in every round
  double rate = 1e-3;  ///< of the first round's epochs
  /// On the rate from round to round: at a constant rate the noise of mini-batches goes on moving k.
  double rate_factor = 1;
  double tolerance = 1e-3;  ///< on the relative changes of log-evidence, k and σ scale from round to round
};

/// Pretrains a density network, then EM for the last layer with frozen features, or with network M-steps in
/// between.
[[nodiscard]] MemberFit fit_network(const MatrixView& X /* q×N */, const MatrixView& Y /* p×N */,
                                    const VectorView& given, const std::vector<Index>& train,
                                    const std::vector<Index>& validation, const NetworkOptions& network,
                                    const LayerOptions& layer, const EndToEndOptions& end_to_end,
                                    std::uint64_t seed, int threads = 1);

/// Several networks, each holding out another part; hyperparameters by the conditional evidence of what was
/// held out. Every sample is held out by two members, and what pairs say of their samples gives the width of
/// the mixture of all.
struct CrossFitOptions {
  Index members = 20;  ///< each trains on all but two of as many parts (of two members: all but one)
  ColumnStructure column = ColumnStructure::isotropic;  ///< isotropic, diagonal
  bool covariance_known = true;  ///< otherwise V has a posterior from the held-out residuals: t predictives
  /// Exponents g tried for σ(x)^g; 0 is constant noise. The conditional evidence chooses.
  std::vector<double> noise_exponents = {0, 0.25, 0.5, 0.75, 1};
  int threads = 0;
};

struct CrossFit {
  std::vector<MemberFit> members;
  std::vector<std::vector<Index>> held;  ///< the parts: every sample once
  /// Of these parts, by the members that had held them out, before they joined.
  std::vector<std::shared_ptr<const Predictive>> held_predictives;
  double covariance_factor = 1;  ///< that the members' covariances have been multiplied by
};

/// The fewest samples that can be cross-fitted: what a member holds out must show the outputs' covariance.
[[nodiscard]] Index cross_fit_samples(Index members, Index outputs);

[[nodiscard]] CrossFit fit_cross_fitted(const MatrixView& X /* q×N */, const MatrixView& Y /* p×N */,
                                        const VectorView& given, const std::vector<Index>& samples,
                                        const NetworkOptions& network, const CrossFitOptions& options,
                                        std::uint64_t seed);

}  // namespace mbll
