#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "data/files.hpp"
#include "data/npy_files.hpp"
#include "mbll/data/read.hpp"

namespace mbll {
namespace {

using test::npy;
using test::npy_header;
using testing::ElementsAre;
using testing::HasSubstr;

class Npy : public test::Files {
 protected:
  [[nodiscard]] Table read(const std::string& content) const { return read_table(write("t.npy", content)); }
  [[nodiscard]] std::string error_of(const std::string& content) const {
    return data_error([&] { (void)read(content); });
  }
};

// Three samples of two columns.
const Matrix kArray{{1, 2, 3}, {-4, 5, 6}};

TEST_F(Npy, EveryTypeOrderAndVersion) {
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(read(npy<double>("<f8", "(3, 2)", {1, -4, 2, 5, 3, 6}, false, version)).values(), kArray);
    EXPECT_EQ(read(npy<double>("<f8", "(3, 2)", {1, 2, 3, -4, 5, 6}, true, version)).values(), kArray);
  }
  EXPECT_EQ(read(npy<float>("<f4", "(3, 2)", {1, -4, 2, 5, 3, 6})).values(), kArray);
  EXPECT_EQ(read(npy<std::int64_t>("<i8", "(3, 2)", {1, -4, 2, 5, 3, 6})).values(), kArray);
  EXPECT_EQ(read(npy<std::int32_t>("<i4", "(3, 2)", {1, -4, 2, 5, 3, 6})).values(), kArray);
  EXPECT_EQ(read(npy<std::int16_t>("<i2", "(3, 2)", {1, 2, 3, -4, 5, 6}, true)).values(), kArray);
  EXPECT_EQ(read(npy<std::int8_t>("|i1", "(3, 2)", {1, -4, 2, 5, 3, 6})).values(), kArray);
  EXPECT_EQ(read(npy<std::uint8_t>("|u1", "(1, 2)", {1, 255})).values(), (Matrix{{1}, {255}}));
  EXPECT_EQ(read(npy<std::uint8_t>("|b1", "(2,)", {0, 1})).values(), (Matrix{{0, 1}}));
}

TEST_F(Npy, ColumnNames) {
  EXPECT_THAT(read(npy<double>("<f8", "(1, 2)", {1, 2})).names(), ElementsAre("x1", "x2"));
  EXPECT_THAT(read(npy<double>("<f8", "(2,)", {1, 2})).names(), ElementsAre("x1"));
}

TEST_F(Npy, NanIsMissingAndInfinityRefused) {
  const Table table =
      read(npy<double>("<f8", "(1, 2)", {std::nan(""), std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(table.notes(0).missing, 1);
  EXPECT_EQ(data_error([&] { (void)table.select({1}); }),
            "t.npy: column 'x2' (2): 'inf' is not a finite number");
}

TEST_F(Npy, Archive) {
  const std::string x = npy<double>("<f8", "(3, 2)", {1, -4, 2, 5, 3, 6});
  const std::string y = npy<float>("<f4", "(3,)", {7, 8, 9});
  for (const bool packed : {false, true}) {
    const Table table = read(test::zip({{"X.npy", x}, {"y.npy", y}}, packed));
    EXPECT_THAT(table.names(), ElementsAre("X1", "X2", "y"));
    EXPECT_EQ(table.values(), (Matrix{{1, 2, 3}, {-4, 5, 6}, {7, 8, 9}}));
  }
}

TEST_F(Npy, AsAStream) {
  TableStream stream(write("t.npy", npy<double>("<f8", "(3, 2)", {1, -4, 2, 5, 3, 6})));
  Table block;
  ASSERT_TRUE(stream.next(2, block));
  EXPECT_EQ(block.values(), kArray.leftCols(2));
  ASSERT_TRUE(stream.next(2, block));
  EXPECT_EQ(block.values(), kArray.rightCols(1));
  EXPECT_FALSE(stream.next(2, block));
}

TEST_F(Npy, ForgedSizesAllocateNothing) {
  EXPECT_EQ(error_of(npy<double>("<f8", "(1000000000000, 1000000)", {1})),
            "t.npy: the header promises 1000000000000 × 1000000 numbers, the file holds 1");
  EXPECT_EQ(error_of(npy<double>("<f8", "(4611686018427387904, 4)", {1, 2})),
            "t.npy: the header promises 4611686018427387904 × 4 numbers, the file holds 2");
  EXPECT_THAT(error_of(npy<double>("<f8", "(99999999999999999999,)", {1})),
              HasSubstr("not of whole numbers"));
  EXPECT_THAT(error_of(npy<double>("<f8", "(-1,)", {1})), HasSubstr("not of whole numbers"));
}

TEST_F(Npy, WhatCannotBeRead) {
  EXPECT_THAT(error_of(npy<double>("<f8", "(1, 1, 1)", {1})), HasSubstr("3 dimensions"));
  EXPECT_THAT(error_of(npy<double>("<f8", "()", {1})), HasSubstr("0 dimensions"));
  EXPECT_THAT(error_of(npy<double>("<f8", "(0, 3)", {})), HasSubstr("is empty"));
  EXPECT_THAT(error_of(npy<double>(">f8", "(1,)", {1})), HasSubstr("type '>f8' are not supported"));
  EXPECT_THAT(error_of(npy<double>("<U2", "(1,)", {1})), HasSubstr("type '<U2'"));
  EXPECT_THAT(error_of(npy<double>("<f8", "(1,)", {1, 2})), HasSubstr("8 bytes are left over"));
  EXPECT_THAT(error_of(npy<double>("<f8", "(1,)", {1}, false, 4)), HasSubstr("version 4 is not known"));
  EXPECT_THAT(error_of(npy_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }")),
              HasSubstr("structured arrays"));
  EXPECT_THAT(error_of(npy_header("{'descr': '<f8', 'fortran_order': False, }")),
              HasSubstr("has no 'shape'"));
}

TEST_F(Npy, Truncated) {
  const std::string whole = npy<double>("<f8", "(3, 2)", {1, -4, 2, 5, 3, 6});
  for (std::size_t length = 6; length < whole.size(); ++length)
    EXPECT_NE(error_of(whole.substr(0, length)), "no error") << length;
  const std::string archive = test::zip({{"X.npy", whole}}, true);
  for (std::size_t length = 4; length < archive.size(); ++length)
    EXPECT_NE(error_of(archive.substr(0, length)), "no error") << length;
}

TEST_F(Npy, ArchivesThatDoNotFit) {
  const std::string two = npy<double>("<f8", "(2,)", {1, 2});
  const std::string three = npy<double>("<f8", "(3,)", {1, 2, 3});
  EXPECT_EQ(error_of(test::zip({{"x.npy", two}, {"y.npy", three}}, false)),
            "t.npy: array 'y' has 3 samples, the ones before have 2");
  EXPECT_THAT(error_of(test::zip({{"x.npy", two}, {"x.npy", two}}, false)), HasSubstr("'x' appears twice"));
  EXPECT_THAT(error_of(test::zip({{"note.txt", "hello"}}, true)),
              HasSubstr("'note.txt' in the archive is not an array"));
  EXPECT_THAT(error_of(test::zip({}, true)), HasSubstr("archive is empty"));
  std::string damaged = test::zip({{"x.npy", two}}, false);
  damaged[damaged.find("NUMPY") + 140] ^= 1;
  EXPECT_THAT(error_of(damaged), HasSubstr("'x.npy' in the archive is damaged"));
}

}  // namespace
}  // namespace mbll
