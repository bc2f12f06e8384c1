#include "mbll/nn/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mbll/error.hpp"
#include "mbll/nn/kernels.hpp"
#include "mbll/nn/spectral.hpp"
#include "nn/checks.hpp"
#include "nn/evaluator.hpp"

namespace mbll::nn {
namespace {

/// Samples per pass when only the loss is wanted.
constexpr Index validation_block = 256;
/// An epoch has exploded when its loss is above the start's by this many times 1 + |the start's|. Finite
/// numbers of such size only mean that a step too far has not overflowed yet.
constexpr double explosion = 10;

/// Fisher-Yates; std::shuffle differs between libraries. The bias of the modulo is below 2⁻⁴⁰ for any data
/// that fits in memory.
void shuffle(std::vector<Index>& order, Rng& rng) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng() % i]);
}

template <class Scalar>
class Trainer {
 public:
  Trainer(DensityNetwork<Scalar>& network, const MatrixView& X, const MatrixView& Y,
          std::span<const Index> training_samples, std::span<const Index> validation_samples,
          const Loss& loss, const TrainingOptions& options)
      : network_(network),
        X_(X),
        Y_(Y),
        order_(training_samples.begin(), training_samples.end()),
        validation_samples_(validation_samples),
        options_(options),
        batch_(std::min(options.batch, static_cast<Index>(order_.size()))),
        steps_per_epoch_((static_cast<Index>(order_.size()) + batch_ - 1) / batch_),
        schedule_(options.schedule, options.optimiser.rate, options.epochs * steps_per_epoch_),
        evaluator_(network.spec(), network.layout(), loss, batch_),
        optimiser_(options.optimiser, network.layout().size(), evaluator_.reached_weights(),
                   evaluator_.reached_biases()),
        raw_(network.padded_parameters()),
        normalised_(raw_),
        gradient_(Array<Scalar>::Zero(raw_.size())),
        last_good_(raw_),
        epoch_start_(raw_) {
    if (!validation_samples.empty()) {
      const Index block = std::min(validation_block, static_cast<Index>(validation_samples.size()));
      validator_.emplace(network.spec(), network.layout(), loss, block);
    }
    if (network.spec().spectral_bound > 0) spectral_.emplace(network.layout(), network.spec().spectral_bound);
    settle();
    if (validator_) best_ = acting();
    summary_.training_losses.reserve(static_cast<std::size_t>(options.epochs));
    if (validator_) summary_.validation_losses.reserve(static_cast<std::size_t>(options.epochs));
    summary_.recoveries.reserve(static_cast<std::size_t>(options.recoveries));
  }

  TrainingSummary run() {
    summary_.end = epochs();
    network_.set_padded_parameters(validator_ ? best_ : acting());
    return std::move(summary_);
  }

 private:
  TrainingEnd epochs() {
    Rng rng = make_rng(options_.seed);
    double lowest = std::numeric_limits<double>::infinity();
    if (validator_) {
      const double start = validator_->mean_loss(acting().data(), X_, Y_, validation_samples_);
      if (std::isfinite(start)) lowest = start;
    }
    for (Index epoch = 0; epoch < options_.epochs; ++epoch) {
      shuffle(order_, rng);
      EpochReport report;
      while (!run_epoch(epoch, report)) {
        if (static_cast<Index>(summary_.recoveries.size()) == options_.recoveries) {
          restore_last_good();
          return TrainingEnd::diverged;
        }
        recover(epoch);
      }
      // This epoch's losses have shown that the weights it began with are good; those it ended with are not
      // yet proven.
      last_good_.swap(epoch_start_);
      epoch_start_ = raw_;
      ++summary_.epochs;
      summary_.training_losses.push_back(report.training_loss);
      if (validator_) summary_.validation_losses.push_back(report.validation_loss);
      if (!validator_ || report.validation_loss < lowest) {
        lowest = report.validation_loss;
        summary_.best_epoch = epoch;
        if (validator_) best_ = acting();
      }
      schedule_.epoch_ended(report.validation_loss);
      if (options_.progress && !options_.progress(report)) return TrainingEnd::stopped_by_callback;
      if (options_.patience > 0 && epoch - summary_.best_epoch >= options_.patience)
        return TrainingEnd::early_stopped;
    }
    return TrainingEnd::completed;
  }

  /// False when a loss, a gradient or a weight is not finite or the loss has exploded.
  bool run_epoch(Index epoch, EpochReport& report) {
    report.epoch = epoch;
    double total = 0;
    const std::span<const Index> order(order_);
    for (Index step = 0; step < steps_per_epoch_; ++step) {
      const Index first = step * batch_;
      const auto size = static_cast<std::size_t>(std::min(batch_, static_cast<Index>(order_.size()) - first));
      if (spectral_) spectral_->apply(raw_, normalised_, 1);
      const double loss = evaluator_.loss_and_gradient(
          acting().data(), X_, Y_, order.subspan(static_cast<std::size_t>(first), size), gradient_.data());
      if (!std::isfinite(loss)) return false;
      if (std::isnan(first_loss_)) first_loss_ = loss;
      total += loss * static_cast<double>(size);
      if (spectral_) spectral_->pull_back(raw_, gradient_);
      report.rate = rate_factor_ * schedule_.rate(epoch * steps_per_epoch_ + step);
      if (!optimiser_.step(report.rate, gradient_, raw_)) return false;
    }
    settle();
    report.training_loss = total / static_cast<double>(order_.size());
    if (report.training_loss > first_loss_ + explosion * (1 + std::abs(first_loss_))) return false;
    if (validator_)
      report.validation_loss = validator_->mean_loss(acting().data(), X_, Y_, validation_samples_);
    const Scalar size = kernels::sum_of_squares(raw_.size(), acting().data());
    return std::isfinite(size) && (!validator_ || std::isfinite(report.validation_loss));
  }

  /// The weights of the network: with a spectral bound the normalised ones.
  [[nodiscard]] const Array<Scalar>& acting() const { return spectral_ ? normalised_ : raw_; }

  /// Outside of training the bound holds to rounding.
  void settle() {
    if (spectral_) spectral_->apply(raw_, normalised_, SpectralNormalisation<Scalar>::converged);
  }

  void restore_last_good() {
    raw_ = last_good_;
    if (spectral_) spectral_->reset();
    settle();
  }

  void recover(Index epoch) {
    restore_last_good();
    epoch_start_ = last_good_;
    optimiser_.reset();
    rate_factor_ /= 2;
    summary_.recoveries.push_back(epoch);
  }

  DensityNetwork<Scalar>& network_;
  const MatrixView& X_;
  const MatrixView& Y_;
  std::vector<Index> order_;
  std::span<const Index> validation_samples_;
  const TrainingOptions& options_;
  Index batch_, steps_per_epoch_;
  RateSchedule schedule_;
  LossEvaluator<Scalar> evaluator_;
  std::optional<LossEvaluator<Scalar>> validator_;
  Optimiser<Scalar> optimiser_;
  std::optional<SpectralNormalisation<Scalar>> spectral_;
  Array<Scalar> raw_, normalised_, gradient_, last_good_, epoch_start_, best_;
  double rate_factor_ = 1;
  double first_loss_ = std::numeric_limits<double>::quiet_NaN();
  TrainingSummary summary_;
};

}  // namespace

void TrainingOptions::validate() const {
  check::require(epochs > 0, "epochs", fmt::format("is {}, expected at least 1", epochs));
  check::require(batch > 0, "batch", fmt::format("is {}, expected at least 1", batch));
  check::require(patience >= 0, "patience", fmt::format("is {}, expected ≥ 0", patience));
  check::require(recoveries >= 0, "recoveries", fmt::format("is {}, expected ≥ 0", recoveries));
  optimiser.validate();
  schedule.validate();
}

std::string_view name_of(TrainingEnd end) {
  switch (end) {
    case TrainingEnd::completed:
      return "completed";
    case TrainingEnd::early_stopped:
      return "early_stopped";
    case TrainingEnd::stopped_by_callback:
      return "stopped_by_callback";
    case TrainingEnd::diverged:
      return "diverged";
  }
  return "unknown";
}

std::string TrainingSummary::to_string() const {
  std::string text = fmt::format("Training {} after {} epochs", name_of(end), epochs);
  if (best_epoch >= 0) {
    const auto best = static_cast<std::size_t>(best_epoch);
    text += fmt::format("; epoch {} kept, training loss {:.6g}", best_epoch, training_losses[best]);
    if (!validation_losses.empty()) text += fmt::format(", validation loss {:.6g}", validation_losses[best]);
  }
  if (!recoveries.empty()) text += fmt::format("; rate halved {} times", recoveries.size());
  return text + ".";
}

template <class Scalar>
TrainingSummary train(DensityNetwork<Scalar>& network, const MatrixView& X, const MatrixView& Y,
                      std::span<const Index> training_samples, std::span<const Index> validation_samples,
                      const Loss& loss, const TrainingOptions& options) {
  options.validate();
  validate(loss, network.spec());
  check_data(network.spec(), X, Y);
  check_samples("training_samples", training_samples, X, Y);
  const bool needed = options.patience > 0 || options.schedule.kind == Schedule::plateau;
  check::require(!needed || !validation_samples.empty(), "validation_samples",
                 "is empty, but early stopping and the plateau schedule need validation samples");
  if (!validation_samples.empty()) check_samples("validation_samples", validation_samples, X, Y);
  return Trainer<Scalar>(network, X, Y, training_samples, validation_samples, loss, options).run();
}

template TrainingSummary train<float>(DensityNetwork<float>&, const MatrixView&, const MatrixView&,
                                      std::span<const Index>, std::span<const Index>, const Loss&,
                                      const TrainingOptions&);
template TrainingSummary train<double>(DensityNetwork<double>&, const MatrixView&, const MatrixView&,
                                       std::span<const Index>, std::span<const Index>, const Loss&,
                                       const TrainingOptions&);

}  // namespace mbll::nn
