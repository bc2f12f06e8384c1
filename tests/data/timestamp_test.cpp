#include "data/timestamp.hpp"

#include <gtest/gtest.h>

#include "data/files.hpp"
#include "mbll/data/read.hpp"
#include "mbll/error.hpp"

namespace mbll::data {
namespace {

TEST(Timestamp, CountsSecondsSince1970) {
  EXPECT_EQ(parse_timestamp("1970-01-01"), 0);
  EXPECT_EQ(parse_timestamp("1970-01-02 00:00"), 86400);
  EXPECT_EQ(parse_timestamp("2000-03-01T00:00:00Z"), 951868800);  // date -u -d 2000-03-01 +%s
  EXPECT_EQ(parse_timestamp("2016-02-29 12:34:56"), 1456749296);
  EXPECT_EQ(parse_timestamp("2016/02/29 12:34:56.25"), 1456749296.25);
  EXPECT_EQ(parse_timestamp("1969-12-31 23:59:59"), -1);
  EXPECT_EQ(parse_timestamp("2016-02-29T12:34:56+05:30"), 1456749296 - 19800);
  EXPECT_EQ(parse_timestamp("2016-02-29T12:34-0800"), 1456749240 + 28800);
  EXPECT_EQ(parse_timestamp("2016-02-29T12:34+01"), 1456749240 - 3600);
}

TEST(Timestamp, IsNothingElse) {
  for (const char* text : {"",
                           "2016",
                           "2016-2-9",
                           "2016-02-30",
                           "2015-02-29",
                           "2016-13-01",
                           "2016-00-10",
                           "2016-02-29 ",
                           "2016-02-29 24:00",
                           "2016-02-29 12",
                           "2016-02-29 12:60",
                           "2016-02/29",
                           "2016-02-29 12:34 pm",
                           "2016-02-29T12:34:56.",
                           "2016-02-29 12:34+1",
                           "20160229",
                           "2016-02-29x12:34",
                           "02-29-2016",
                           "2016-02-29 12:34:56Zulu",
                           "-016-02-29"})
    EXPECT_FALSE(parse_timestamp(text)) << text;
}

class TimeColumn : public test::Files {};

TEST_F(TimeColumn, IsTheOnlyOneWithTimestamps) {
  const std::string path =
      write("t.csv", "when,x,day\n2016-01-01 00:00,1,2016-01-01\n\"2016-01-01 01:00\",2,2016-01-01\n");
  ReadOptions options;
  options.time_column = "when";
  const Table table = read_table(path, options);
  const Matrix time = table.select({0});
  EXPECT_EQ(time(0, 1) - time(0, 0), 3600);
  EXPECT_THROW((void)table.select({2}), DataError);
  options.time_column = "1";
  EXPECT_EQ(read_table(path, options).select({0}), time);
  EXPECT_THROW((void)read_table(path).select({0}), DataError);

  options.time_column = "when";
  TableStream stream(path, options);
  Table block;
  ASSERT_TRUE(stream.next(10, block));
  EXPECT_EQ(block.select({0}), time);
}

}  // namespace
}  // namespace mbll::data
