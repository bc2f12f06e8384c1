#include "mbll/data/missing.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "data/files.hpp"
#include "mbll/data/read.hpp"

namespace mbll {
namespace {

using testing::ElementsAre;

class Missing : public test::Files {
 protected:
  // The text column and the holes of column `unused` must not matter.
  [[nodiscard]] Table table() const {
    return read_table(write("t.csv",
                            "name,a,unused,b\n"
                            "u,NA,NA,10\n"
                            "v,1,NA,NA\n"
                            "w,,1,NA\n"
                            "x,4,NA,40\n"
                            "y,7,2,NA\n"));
  }
  static constexpr Index kA = 1, kB = 3;
};

TEST_F(Missing, ErrorNamesTheFirstAndCountsAll) {
  EXPECT_EQ(data_error([&] {
              (void)select_complete(table(), {kA, kB}, MissingPolicy::error);
            }),
            "t.csv:2: column 'a' (2): 2 missing values, this is the first (also 'b' 3); choose drop, mean or "
            "interpolate to go on");
  EXPECT_EQ(
      data_error([&] {
        (void)select_complete(read_table(write("s.csv", "x,y\n1,2\n3,\n")), {0, 1}, MissingPolicy::error);
      }),
      "s.csv:3: column 'y' (2): 1 missing value; choose drop, mean or interpolate to go on");
}

TEST_F(Missing, Drop) {
  const CompleteData data = select_complete(table(), {kB, kA}, MissingPolicy::drop);
  EXPECT_EQ(data.values, (Matrix{{40}, {4}}));
  EXPECT_THAT(data.samples, ElementsAre(3));
  EXPECT_EQ(data.report.dropped, 4);
  EXPECT_EQ(data.report.filled, 0);
  ASSERT_EQ(data.report.columns.size(), 2);
  EXPECT_EQ(data.report.columns[0].name, "b");
  EXPECT_EQ(data.report.columns[0].missing, 3);
}

TEST_F(Missing, Mean) {
  const CompleteData data = select_complete(table(), {kA, kB}, MissingPolicy::mean);
  EXPECT_TRUE(data.values.isApprox(Matrix{{4, 1, 4, 4, 7}, {10, 25, 25, 40, 25}}));
  EXPECT_EQ(data.samples.size(), 5);
  EXPECT_EQ(data.report.filled, 5);
  EXPECT_EQ(data.report.dropped, 0);
}

TEST_F(Missing, InterpolateHoldsTheEnds) {
  const CompleteData data = select_complete(table(), {kA, kB}, MissingPolicy::interpolate);
  EXPECT_TRUE(data.values.isApprox(Matrix{{1, 1, 2.5, 4, 7}, {10, 20, 30, 40, 40}}));
  EXPECT_EQ(data.report.filled, 5);
}

TEST_F(Missing, NothingMissing) {
  const Table t("memory", {"x"}, Matrix::Ones(1, 4));
  for (const auto policy :
       {MissingPolicy::error, MissingPolicy::drop, MissingPolicy::mean, MissingPolicy::interpolate}) {
    const CompleteData data = select_complete(t, {0}, policy);
    EXPECT_TRUE(data.report.empty());
    EXPECT_EQ(data.values, t.values());
    EXPECT_EQ(data.samples.size(), 4);
  }
}

TEST_F(Missing, NothingLeft) {
  const Table t = read_table(write("t.csv", "a,b\n1,\n2,NA\n"));
  EXPECT_EQ(data_error([&] {
              (void)select_complete(t, {0, 1}, MissingPolicy::drop);
            }),
            "t.csv: no sample has a value in every used column");
  for (const auto policy : {MissingPolicy::mean, MissingPolicy::interpolate})
    EXPECT_EQ(data_error([&] {
                (void)select_complete(t, {0, 1}, policy);
              }),
              "t.csv: column 'b' (2) has no value at all");
}

TEST_F(Missing, MeanAndInterpolationOfHugeValues) {
  const Table t = read_table(write("t.csv", "a\n1.7e308\n\n1.7e308\nNA\n-1.7e308\n1.7e308\n"));
  for (const auto policy : {MissingPolicy::mean, MissingPolicy::interpolate})
    EXPECT_TRUE(select_complete(t, {0}, policy).values.allFinite());
}

TEST_F(Missing, FillWithKnownValues) {
  Matrix X{{1, std::nan("")}, {std::nan(""), 2}};
  EXPECT_EQ(fill_missing(X, Vector{{7, 8}}), 2);
  EXPECT_EQ(X, (Matrix{{1, 7}, {8, 2}}));
  EXPECT_THROW(fill_missing(X, Vector::Ones(3)), InvalidArgument);
}

TEST_F(Missing, PolicyByName) {
  for (const auto policy :
       {MissingPolicy::error, MissingPolicy::drop, MissingPolicy::mean, MissingPolicy::interpolate})
    EXPECT_EQ(parse_missing_policy(to_string(policy)), policy);
  EXPECT_THROW((void)parse_missing_policy("interpolat"), InvalidArgument);
}

}  // namespace
}  // namespace mbll
