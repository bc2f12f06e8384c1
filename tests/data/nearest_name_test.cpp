#include "mbll/data/nearest_name.hpp"

#include <gtest/gtest.h>

namespace mbll {
namespace {

TEST(NearestName, OneSlip) {
  const std::vector<std::string> names = {"target", "inputs", "features", "hidden", "PM2.5", "PM10"};
  EXPECT_EQ(nearest_name("tagret", names), "target");
  EXPECT_EQ(nearest_name("input", names), "inputs");
  EXPECT_EQ(nearest_name("fetures", names), "features");
  EXPECT_EQ(nearest_name("HIDDEN", names), "hidden");
  EXPECT_EQ(nearest_name("pm25", names), "PM2.5");
}

TEST(NearestName, NothingNear) {
  EXPECT_EQ(nearest_name("xyz", {"target", "inputs"}), "");
  EXPECT_EQ(nearest_name("", {"a", "b"}), "");
  EXPECT_EQ(nearest_name("a", {}), "");
  EXPECT_EQ(nearest_name("ab", {"ac"}), "") << "half of a short word is too much to guess";
}

TEST(NearestName, TheNearestWinsThenTheFirst) {
  EXPECT_EQ(nearest_name("seeds", {"speed", "seed"}), "seed");
  EXPECT_EQ(nearest_name("colx", {"cola", "colb"}), "cola");
}

}  // namespace
}  // namespace mbll
