#include "mbll/nn/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mbll/error.hpp"

namespace mbll::nn {
namespace {

TEST(Schedule, ConstantAndNames) {
  const RateSchedule schedule({}, 0.3, 10);
  EXPECT_EQ(schedule.rate(0), 0.3);
  EXPECT_EQ(schedule.rate(9), 0.3);
  for (const Schedule kind : {Schedule::constant, Schedule::plateau, Schedule::one_cycle, Schedule::cosine})
    EXPECT_EQ(schedule_from_name(name_of(kind)), kind);
  EXPECT_THROW((void)schedule_from_name("linear"), InvalidArgument);
}

// η_min + ½ (η_max − η_min)(1 + cos(π t/T))
TEST(Schedule, Cosine) {
  ScheduleOptions options;
  options.kind = Schedule::cosine;
  options.minimum_rate = 0.02;
  const RateSchedule schedule(options, 0.1, 6);
  EXPECT_DOUBLE_EQ(schedule.rate(0), 0.1);
  EXPECT_NEAR(schedule.rate(2), 0.02 + 0.08 * 0.75, 1e-15);  // cos 60° = ½
  EXPECT_NEAR(schedule.rate(3), 0.06, 1e-15);
  EXPECT_NEAR(schedule.rate(4), 0.02 + 0.08 * 0.25, 1e-15);
}

// OneCycleLR(max_lr=1, total_steps=21, pct_start=0.3): warm-up ends at step 0.3·21 − 1 = 5.3, the end at
// step 20.
TEST(Schedule, OneCycle) {
  ScheduleOptions options;
  options.kind = Schedule::one_cycle;
  const RateSchedule schedule(options, 1, 21);
  EXPECT_NEAR(schedule.rate(0), 1.0 / 25, 1e-15);
  EXPECT_NEAR(schedule.rate(20), 1.0 / 25 / 1e4, 1e-15);
  EXPECT_NEAR(schedule.rate(3), 1 - 0.96 / 2 * (1 + std::cos(M_PI * 3 / 5.3)), 1e-12);
  EXPECT_NEAR(schedule.rate(12), 4e-6 + (1 - 4e-6) / 2 * (1 + std::cos(M_PI * 6.7 / 14.7)), 1e-12);
  for (Index step = 1; step < 21; ++step) {
    if (step <= 5) EXPECT_GT(schedule.rate(step), schedule.rate(step - 1));
    if (step >= 7) EXPECT_LT(schedule.rate(step), schedule.rate(step - 1));
    EXPECT_LE(schedule.rate(step), 1);
  }
}

TEST(Schedule, OneCycleOfAFewStepsStaysPositive) {
  ScheduleOptions options;
  options.kind = Schedule::one_cycle;
  for (const Index total : {1, 2, 3, 4}) {
    const RateSchedule schedule(options, 1, total);
    for (Index step = 0; step < total; ++step) {
      EXPECT_GT(schedule.rate(step), 0) << total;
      EXPECT_LE(schedule.rate(step), 1) << total;
    }
  }
}

TEST(Schedule, PlateauWaitsForItsPatience) {
  ScheduleOptions options;
  options.kind = Schedule::plateau;
  options.patience = 2;
  options.factor = 0.5;
  options.threshold = 0.1;
  options.minimum_rate = 0.2;
  RateSchedule schedule(options, 1, 1000);
  const auto after = [&](double loss) {
    schedule.epoch_ended(loss);
    return schedule.rate(0);
  };
  EXPECT_EQ(after(10), 1);
  EXPECT_EQ(after(9.5), 1);  // not below 9: bad epoch 1
  EXPECT_EQ(after(9.1), 1);  // bad epoch 2
  EXPECT_EQ(after(8.9), 1);  // better: count starts again
  EXPECT_EQ(after(9), 1);    // 1
  EXPECT_EQ(after(9), 1);    // 2
  EXPECT_EQ(after(9), 0.5);  // 3 > patience
  EXPECT_EQ(after(9), 0.5);  // count started again
  EXPECT_EQ(after(9), 0.5);
  EXPECT_EQ(after(9), 0.25);
  for (int i = 0; i < 3; ++i) (void)after(9);
  EXPECT_EQ(schedule.rate(0), 0.2);  // the minimum
}

TEST(Schedule, PlateauOfNegativeLossesAsksForLowerOnes) {
  ScheduleOptions options;
  options.kind = Schedule::plateau;
  options.patience = 0;
  options.threshold = 0.1;
  RateSchedule schedule(options, 1, 1000);
  schedule.epoch_ended(-10);
  EXPECT_EQ(schedule.rate(0), 1);
  schedule.epoch_ended(-11.5);
  EXPECT_EQ(schedule.rate(0), 1);
  schedule.epoch_ended(-11.4);
  EXPECT_EQ(schedule.rate(0), 0.1);
}

TEST(ScheduleOptions, NamesWhatIsOutOfRange) {
  EXPECT_THROW(ScheduleOptions{.factor = 1}.validate(), InvalidArgument);
  EXPECT_THROW(ScheduleOptions{.patience = -1}.validate(), InvalidArgument);
  EXPECT_THROW(ScheduleOptions{.warmup_fraction = 1}.validate(), InvalidArgument);
  EXPECT_THROW(ScheduleOptions{.start_divisor = 0}.validate(), InvalidArgument);
  EXPECT_THROW(RateSchedule(ScheduleOptions{}, -1, 5), InvalidArgument);
}

}  // namespace
}  // namespace mbll::nn
