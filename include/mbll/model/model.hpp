#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mbll/data/scaler.hpp"
#include "mbll/metrics/metrics.hpp"
#include "mbll/model/pipelines.hpp"

namespace mbll {

/// What a model says of its own making: everything a summary, a report or `inspect` shows.
struct FitReport {
  std::string pipeline;  ///< "cross-fitted", "two-phase", "end-to-end" or "fixed features"
  std::string features;  ///< in words: "50,50 leaky_relu network", "polynomial of degree 3"
  Index samples = 0;
  std::uint64_t seed = 0;
  double log_evidence = 0;  ///< in the units of the data, of the evidence samples
  Index evidence_samples = 0;
  bool evidence_is_conditional =
      false;  ///< of held-out samples given the others, not of the training samples
  bool converged = false;
  int em_steps = 0;           ///< of the first member
  std::string em_end;         ///< of the first member
  std::vector<EmStep> trace;  ///< EM of the first member, or one point per round of end-to-end training
  std::vector<double> training_loss;  ///< per epoch, of the first member
  Index validation_samples = 0;
  /// Scores on samples that were not used for what is judged: out-of-fold for cross-fitted models, the
  /// validation part otherwise. Zeros when there are none.
  Evaluation::Scores validation;
  double seconds = 0;
};

/// A VARX model's orders and the columns that its lagged inputs are made of; empty for plain regression.
struct LagSpec {
  Index input_order = 0;
  Index output_order = 0;
  std::vector<std::string> inputs;
  std::string time;  ///< time column, "calendar" (year, month, day, hour), or empty
  double step = 0;   ///< time between neighbours in the training data; 0 without a time column

  [[nodiscard]] bool empty() const { return input_order == 0 && output_order == 0; }
};

/// A fitted regression: names, scaling, features, noise and the posterior of one or several members.
/// Immutable value, safe to share between threads.
class Model {
 public:
  struct Parts {
    std::vector<std::string> input_names;   ///< q
    std::vector<std::string> output_names;  ///< p
    std::string noise_column;               ///< column of given σ, or empty
    LagSpec lags;
    Scaler inputs;                ///< q
    Scaler outputs;               ///< p
    std::vector<Member> members;  ///< mixed with equal weights
    FitReport report;
  };

  /// Throws InvalidArgument if the parts do not fit each other.
  explicit Model(Parts parts);

  [[nodiscard]] const Parts& parts() const { return parts_; }
  [[nodiscard]] Index inputs() const { return parts_.inputs.size(); }
  [[nodiscard]] Index outputs() const { return parts_.outputs.size(); }
  [[nodiscard]] const std::vector<std::string>& input_names() const { return parts_.input_names; }
  [[nodiscard]] const std::vector<std::string>& output_names() const { return parts_.output_names; }
  [[nodiscard]] const FitReport& report() const { return parts_.report; }
  [[nodiscard]] bool needs_given_noise() const { return !parts_.noise_column.empty(); }

  /// Predictive distribution in the units of the data. `given` is σ per sample for models with given noise.
  /// Samples may be far outside of the training data; they must be finite. Cost: members × (one forward pass
  /// + d² + pd) per sample.
  [[nodiscard]] std::unique_ptr<Predictive> predict(const MatrixView& X /* q×L */,
                                                    const VectorView& given = Vector() /* L */) const;
  /// Bayesian update of every member with new samples; features and hyperparameters stay.
  [[nodiscard]] Model update(const MatrixView& X /* q×N */, const MatrixView& Y /* p×N */,
                             const VectorView& given = Vector() /* N */) const;
  /// E[V | data] in the units of the data, averaged over the members: the noise covariance at σ(x) = 1 times
  /// the mean σ² is what the report shows as correlation. p×p
  [[nodiscard]] Matrix noise_covariance() const;

 private:
  Parts parts_;
};

}  // namespace mbll
