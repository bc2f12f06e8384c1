#include "mbll/data/splits.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/files.hpp"

namespace mbll {
namespace {

using testing::ElementsAre;

/// The parts together, sorted.
std::vector<Index> all_of(const Split& split) {
  std::vector<Index> all = split.train;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Index> first(Index count) {
  std::vector<Index> result(count);
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

TEST(RandomSplit, SizesAndPartition) {
  const Split split = random_split(103, 0.18, 0.1, 7);
  EXPECT_EQ(split.test.size(), 10);
  EXPECT_EQ(split.validation.size(), 19);
  EXPECT_EQ(split.train.size(), 74);
  EXPECT_EQ(all_of(split), first(103));
}

TEST(RandomSplit, BySeed) {
  EXPECT_EQ(random_split(50, 0, 0.2, 7).test, random_split(50, 0, 0.2, 7).test);
  EXPECT_NE(random_split(50, 0, 0.2, 7).test, random_split(50, 0, 0.2, 8).test);
}

TEST(RandomSplit, NothingLeftToTrainOn) {
  EXPECT_THROW((void)random_split(10, 0.5, 0.5, 1), InvalidArgument);
  EXPECT_THROW((void)random_split(2, 0.45, 0.45, 1), InvalidArgument);
  EXPECT_THROW((void)random_split(10, -0.1, 0.5, 1), InvalidArgument);
  EXPECT_THROW((void)random_split(10, std::nan(""), 0.5, 1), InvalidArgument);
  EXPECT_THROW((void)random_split(0, 0.1, 0.1, 1), InvalidArgument);
}

// Chi-squared over the 24 orders of 4 items, 23 degrees of freedom: 49.7 is the 99.9 % quantile, one fixed
// seed.
TEST(Permutation, EveryOrderEquallyOften) {
  Rng rng = make_rng(11);
  std::vector<int> counts(256);
  const int draws = 24000;
  for (int k = 0; k < draws; ++k) {
    const auto order = permutation(4, rng);
    ++counts[order[0] * 64 + order[1] * 16 + order[2] * 4 + order[3]];
  }
  double chi_squared = 0;
  int orders = 0;
  for (const int count : counts)
    if (count > 0) {
      ++orders;
      chi_squared += (count - draws / 24.0) * (count - draws / 24.0) / (draws / 24.0);
    }
  EXPECT_EQ(orders, 24);
  EXPECT_LT(chi_squared, 49.7);
}

TEST(TimeSplit, KeepsTheOrder) {
  const Split split = time_split(10, 0.2, 0.3);
  EXPECT_THAT(split.train, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(split.validation, ElementsAre(5, 6));
  EXPECT_THAT(split.test, ElementsAre(7, 8, 9));
}

TEST(KFolds, EverySampleIsTestedOnce) {
  const auto splits = k_folds(23, 5, 3);
  std::vector<Index> tested;
  for (const Split& split : splits) {
    EXPECT_EQ(all_of(split), first(23));
    EXPECT_THAT(split.test.size(), testing::AnyOf(4, 5));
    tested.insert(tested.end(), split.test.begin(), split.test.end());
  }
  std::sort(tested.begin(), tested.end());
  EXPECT_EQ(tested, first(23));
  EXPECT_THROW((void)k_folds(5, 6, 1), InvalidArgument);
  EXPECT_THROW((void)k_folds(5, 1, 1), InvalidArgument);
}

TEST(SplitByTestSamples, KeepsTheGivenOrder) {
  const Split split = split_by_test_samples(6, {4, 1});
  EXPECT_THAT(split.test, ElementsAre(4, 1));
  EXPECT_THAT(split.train, ElementsAre(0, 2, 3, 5));
  EXPECT_THROW((void)split_by_test_samples(6, {6}), InvalidArgument);
  EXPECT_THROW((void)split_by_test_samples(6, {1, 1}), InvalidArgument);
  EXPECT_THROW((void)split_by_test_samples(2, {0, 1}), InvalidArgument);
}

TEST(HoldOut, MovesPartOfTheTraining) {
  const Split split = hold_out(split_by_test_samples(20, {3, 5}), 0.25, 9);
  EXPECT_EQ(split.validation.size(), 5);  // round(18 / 4)
  EXPECT_EQ(split.train.size(), 13);
  EXPECT_EQ(all_of(split), first(20));
}

using ReadSplits = test::Files;

TEST_F(ReadSplits, OneSplitPerLine) {
  const auto splits = read_splits(write("s.csv", "2,0\r\n1,3\n"), 4);
  ASSERT_EQ(splits.size(), 2);
  EXPECT_THAT(splits[0].test, ElementsAre(2, 0));
  EXPECT_THAT(splits[0].train, ElementsAre(1, 3));
  EXPECT_THAT(splits[1].test, ElementsAre(1, 3));
}

TEST_F(ReadSplits, MistakesNameTheLine) {
  const auto message = [&](const char* text) {
    return data_error([&] { (void)read_splits(write("s.csv", text), 4); });
  };
  EXPECT_EQ(message("1,2\n1,x\n"), "s.csv:2: entry 2 is not a whole number");
  EXPECT_EQ(message("1,2\n1,\n"), "s.csv:2: entry 2 is not a whole number");
  EXPECT_EQ(message("1,2\n0,4\n"), "s.csv:2: test: 4 is outside 0…3");
  EXPECT_EQ(message("1,1\n"), "s.csv:1: test: 1 appears twice");
  EXPECT_EQ(message(""), "s.csv: has no splits");
}

}  // namespace
}  // namespace mbll
