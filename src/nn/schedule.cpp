#include "mbll/nn/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "mbll/error.hpp"

namespace mbll::nn {
namespace {

constexpr Schedule known_schedules[] = {Schedule::constant, Schedule::plateau, Schedule::one_cycle,
                                        Schedule::cosine};

/// From `start` (part 0) to `end` (part 1) along half a cosine.
double cosine_between(double start, double end, double part) {
  return end + (start - end) / 2 * (1 + std::cos(std::numbers::pi * part));
}

}  // namespace

std::string_view name_of(Schedule schedule) {
  switch (schedule) {
    case Schedule::constant:
      return "constant";
    case Schedule::plateau:
      return "plateau";
    case Schedule::one_cycle:
      return "one_cycle";
    case Schedule::cosine:
      return "cosine";
  }
  return "unknown";
}

Schedule schedule_from_name(std::string_view name) {
  std::string known;
  for (const Schedule schedule : known_schedules) {
    if (name == name_of(schedule)) return schedule;
    known += known.empty() ? "" : ", ";
    known += name_of(schedule);
  }
  throw InvalidArgument(fmt::format("schedule: is '{}', expected one of {}", name, known));
}

void ScheduleOptions::validate() const {
  const auto require = [](bool condition, const char* name, double value, const char* expected) {
    check::require(condition, name, fmt::format("is {}, expected {}", value, expected));
  };
  require(factor > 0 && factor < 1, "schedule.factor", factor, "a number between 0 and 1");
  require(patience >= 0, "schedule.patience", static_cast<double>(patience), "a number of epochs ≥ 0");
  require(threshold >= 0 && threshold < 1, "schedule.threshold", threshold, "a number ≥ 0 and < 1");
  require(std::isfinite(minimum_rate) && minimum_rate >= 0, "schedule.minimum_rate", minimum_rate,
          "a number ≥ 0");
  require(warmup_fraction > 0 && warmup_fraction < 1, "schedule.warmup_fraction", warmup_fraction,
          "a number between 0 and 1");
  require(std::isfinite(start_divisor) && start_divisor >= 1, "schedule.start_divisor", start_divisor,
          "a number ≥ 1");
  require(std::isfinite(end_divisor) && end_divisor >= 1, "schedule.end_divisor", end_divisor,
          "a number ≥ 1");
}

RateSchedule::RateSchedule(const ScheduleOptions& options, double rate, Index total_steps)
    : options_(options), peak_(rate), reduced_(rate), total_steps_(total_steps) {
  options.validate();
  check::positive("rate", rate);
}

double RateSchedule::rate(Index step) const {
  const auto now = static_cast<double>(step);
  const auto total = static_cast<double>(total_steps_);
  switch (options_.kind) {
    case Schedule::constant:
      return peak_;
    case Schedule::plateau:
      return reduced_;
    case Schedule::cosine:
      return cosine_between(peak_, std::min(options_.minimum_rate, peak_), now / total);
    case Schedule::one_cycle: {
      // A run of a few steps has no room for a warm-up: the rate then starts at its peak.
      const double start = peak_ / options_.start_divisor;
      const double warm = options_.warmup_fraction * total - 1;
      if (now <= warm && warm > 0) return cosine_between(start, peak_, now / warm);
      const double rest = total - 1 - std::max(warm, 0.0);
      if (rest <= 0) return peak_;
      return cosine_between(peak_, start / options_.end_divisor, (now - std::max(warm, 0.0)) / rest);
    }
  }
  return peak_;
}

void RateSchedule::epoch_ended(double validation_loss) {
  if (options_.kind != Schedule::plateau) return;
  // PyTorch compares with best·(1 − threshold), which for a negative best accepts worse losses as better.
  const double needed = std::isfinite(best_) ? best_ - options_.threshold * std::abs(best_) : best_;
  if (validation_loss < needed) {
    best_ = validation_loss;
    bad_epochs_ = 0;
  } else if (++bad_epochs_ > options_.patience) {
    reduced_ = std::min(reduced_, std::max(reduced_ * options_.factor, options_.minimum_rate));
    bad_epochs_ = 0;
  }
}

}  // namespace mbll::nn
