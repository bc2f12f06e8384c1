#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mbll/core.hpp"
#include "mbll/nn/loss.hpp"
#include "mbll/nn/network.hpp"
#include "mbll/nn/optimiser.hpp"
#include "mbll/nn/schedule.hpp"

namespace mbll::nn {

/// What an epoch brought.
struct EpochReport {
  Index epoch = 0;  ///< from 0
  double training_loss = 0;
  double validation_loss = std::numeric_limits<double>::quiet_NaN();  ///< NaN without validation samples
  double rate = 0;                                                    ///< of the epoch's last step
};

struct TrainingOptions {
  Index epochs = 200;
  Index batch = 32;
  std::uint64_t seed = 0;  ///< order of the samples
  OptimiserOptions optimiser;
  ScheduleOptions schedule;
  /// Early stopping: ends after this many epochs in a row without a new lowest validation loss; 0: off.
  Index patience = 0;
  /// Times that a loss or gradient which is not finite, or an epoch whose loss has exploded, is answered by
  /// the last good weights and half the rate.
  Index recoveries = 30;
  /// Called after every epoch; false ends the training.
  std::function<bool(const EpochReport&)> progress;

  /// Throws InvalidArgument naming the option that is out of range.
  void validate() const;
};

enum class TrainingEnd {
  completed,            ///< all epochs done
  early_stopped,        ///< the validation loss no longer fell
  stopped_by_callback,  ///< `progress` returned false
  diverged              ///< not finite again after the last recovery; the network has the last good weights
};
[[nodiscard]] std::string_view name_of(TrainingEnd end);

struct TrainingSummary {
  TrainingEnd end = TrainingEnd::completed;
  Index epochs = 0;                       ///< completed
  std::vector<double> training_losses;    ///< per epoch
  std::vector<double> validation_losses;  ///< per epoch; empty without validation samples
  /// The epoch whose weights the network has: with validation samples that of the lowest validation loss,
  /// otherwise the last; −1 when none was completed or none was better than the start.
  Index best_epoch = -1;
  std::vector<Index> recoveries;  ///< the epoch of each recovery

  /// One paragraph for people.
  [[nodiscard]] std::string to_string() const;
};

/// Trains by mini-batches that are gathered by index and converted to Scalar: the data is not copied, and an
/// epoch allocates nothing. With validation samples the weights of the best epoch are kept. A network with a
/// spectral bound gets weights that satisfy it. Single threaded; the same arguments give the same bits.
/// Throws InvalidArgument, before anything changes, if shapes do not fit, data is not finite, there is no
/// training sample, or no validation sample where early stopping or the plateau schedule needs them.
template <class Scalar>
TrainingSummary train(DensityNetwork<Scalar>& network, const MatrixView& X /* q×N */,
                      const MatrixView& Y /* p×N */, std::span<const Index> training_samples,
                      std::span<const Index> validation_samples, const Loss& loss,
                      const TrainingOptions& options);

extern template TrainingSummary train<float>(DensityNetwork<float>&, const MatrixView&, const MatrixView&,
                                             std::span<const Index>, std::span<const Index>, const Loss&,
                                             const TrainingOptions&);
extern template TrainingSummary train<double>(DensityNetwork<double>&, const MatrixView&, const MatrixView&,
                                              std::span<const Index>, std::span<const Index>, const Loss&,
                                              const TrainingOptions&);

}  // namespace mbll::nn
