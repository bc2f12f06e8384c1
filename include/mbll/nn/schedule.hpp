#pragma once

#include <limits>
#include <string_view>

#include "mbll/core.hpp"

namespace mbll::nn {

enum class Schedule { constant, plateau, one_cycle, cosine };
[[nodiscard]] std::string_view name_of(Schedule schedule);
/// Throws InvalidArgument that lists the known names.
[[nodiscard]] Schedule schedule_from_name(std::string_view name);

/// How the rate changes in training; formulas and defaults are PyTorch's.
struct ScheduleOptions {
  Schedule kind = Schedule::constant;

  /// plateau: after more than `patience` epochs in a row whose validation loss is not below best −
  /// threshold·|best|, the rate is multiplied by `factor`, down to `minimum_rate`.
  double factor = 0.1;
  Index patience = 10;
  double threshold = 1e-4;
  double minimum_rate = 0;  ///< also where cosine ends

  /// one_cycle: cosine from rate/start_divisor up to the rate over the first part of the steps, then down to
  /// rate/(start_divisor·end_divisor). The momentum is not cycled.
  double warmup_fraction = 0.3;
  double start_divisor = 25;
  double end_divisor = 1e4;

  /// Throws InvalidArgument naming the option that is out of range.
  void validate() const;
};

/// The rate of every step of one training run.
class RateSchedule {
 public:
  /// `rate` is the peak; `total_steps` is epochs times batches.
  RateSchedule(const ScheduleOptions& options, double rate, Index total_steps);

  /// Rate of step 0 … total_steps−1.
  [[nodiscard]] double rate(Index step) const;
  /// Tells the validation loss of an epoch that has ended (plateau only).
  void epoch_ended(double validation_loss);

 private:
  ScheduleOptions options_;
  double peak_;
  double reduced_;  // plateau
  Index total_steps_;
  double best_ = std::numeric_limits<double>::infinity();
  Index bad_epochs_ = 0;
};

}  // namespace mbll::nn
