#include "mbll/report/thinning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mbll/error.hpp"

namespace mbll::report {
namespace {

using testing::ElementsAre;

TEST(Thin, KeepsAllThatFitAndSaysNothing) {
  const Thinning thinning = thin(5, 5, {3});
  EXPECT_THAT(thinning.kept, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(thinning.note, "");
}

TEST(Thin, KeepsEveryKthTheLastAndTheFlaggedInOrder) {
  const Thinning thinning = thin(20, 7, {13, 4, 12});
  EXPECT_THAT(thinning.kept, ElementsAre(0, 3, 4, 6, 9, 12, 13, 15, 18, 19));
  EXPECT_EQ(thinning.note, "Showing 10 of 20 samples: every 3rd and all 3 flagged ones.");
}

TEST(Thin, KeepsTheMostImportantOfTooManyFlaggedOnes) {
  const Thinning thinning = thin(100, 10, {55, 1, 2, 3, 4, 5, 6});
  for (const Index kept : {55, 1, 2, 3, 4}) EXPECT_THAT(thinning.kept, testing::Contains(kept));
  EXPECT_THAT(thinning.kept, testing::Not(testing::Contains(5)));
  EXPECT_EQ(thinning.note, "Showing 16 of 100 samples: every 10th and the 5 most extreme of 7 flagged ones.");
}

TEST(Thin, SaysThatNothingIsFlagged) {
  EXPECT_EQ(thin(100000, 4000, {}).note, "Showing 4001 of 100\u202f000 samples: every 25th.");
}

TEST(Thin, RefusesWhatDoesNotExist) {
  EXPECT_THROW((void)thin(10, 1, {}), InvalidArgument);
  EXPECT_THROW((void)thin(10, 5, {10}), InvalidArgument);
}

TEST(SampleLimit, SharesThePageBetweenOutputs) {
  EXPECT_EQ(sample_limit(1), 4000);
  EXPECT_EQ(sample_limit(6), 3000);
  EXPECT_GE(sample_limit(100000), 2);
}

}  // namespace
}  // namespace mbll::report
