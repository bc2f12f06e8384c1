#include "mbll/data/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "mbll/error.hpp"

namespace mbll {
namespace {

Table example() {
  Matrix values(4, 2);
  values << 1, 2, 3, 4, 5, 6, 7, 8;
  return Table("memory", {"depth", "heat", "2", "speed"}, values);
}

template <class Call>
std::string data_error(Call call) {
  try {
    call();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Table, ColumnsByNameThenByNumberFromOne) {
  const Table table = example();
  EXPECT_EQ(table.column("speed"), 3);
  EXPECT_EQ(table.column("1"), 0);
  EXPECT_EQ(table.column("4"), 3);
  EXPECT_EQ(table.column("2"), 2) << "a name comes before a number";
  for (const char* bad : {"0", "5", "-1", "1.0", "", " 1"})
    EXPECT_THROW((void)table.column(bad), DataError) << bad;
}

TEST(Table, UnknownColumnSuggestsTheNearestAndListsAll) {
  EXPECT_EQ(data_error([] { (void)example().column("Heta"); }),
            "memory: no column 'Heta' (did you mean 'heat'?); columns: depth, heat, 2, speed");
  EXPECT_EQ(data_error([] { (void)example().column("colour"); }),
            "memory: no column 'colour'; columns: depth, heat, 2, speed");
}

TEST(Table, SameColumnTwice) {
  EXPECT_EQ(data_error([] {
              (void)example().column_indices({"heat", "1", "depth"});
            }),
            "memory: column 'depth' (1) is asked for twice");
}

TEST(Table, SelectKeepsTheAskedOrder) {
  Matrix expected(2, 2);
  expected << 7, 8, 1, 2;
  EXPECT_EQ(example().select({3, 0}), expected);
}

TEST(Table, FromMatrixTakesNotes) {
  Matrix values(2, 2);
  values << 1, std::nan(""), std::numeric_limits<double>::infinity(), 2;
  const Table table("memory", {"a", "b"}, values);
  EXPECT_EQ(table.notes(0).missing, 1);
  EXPECT_EQ(data_error([&] { (void)table.select({Index{1}}); }),
            "memory: column 'b' (2): 'inf' is not a finite number");
}

TEST(Table, NamesMustFit) {
  EXPECT_THROW(Table("memory", {"a"}, Matrix::Zero(2, 3)), InvalidArgument);
  EXPECT_THROW(Table("memory", {"a", "a"}, Matrix::Zero(2, 3)), InvalidArgument);
}

TEST(TakeSamples, InTheGivenOrder) {
  Matrix values(2, 3), expected(2, 4);
  values << 1, 2, 3, 4, 5, 6;
  expected << 3, 1, 1, 2, 6, 4, 4, 5;
  EXPECT_EQ(take_samples(values, {2, 0, 0, 1}), expected);
  EXPECT_THROW((void)take_samples(values, {3}), InvalidArgument);
  EXPECT_THROW((void)take_samples(values, {-1}), InvalidArgument);
}

}  // namespace
}  // namespace mbll
