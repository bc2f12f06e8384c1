#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>

#include "data/files.hpp"
#include "mbll/data/read.hpp"

namespace mbll {
namespace {

using testing::ElementsAre;
using Wait = TableStream::Wait;

class Stream : public test::Files {
 protected:
  /// All blocks of a stream put together.
  static Matrix drain(TableStream& stream, Index max_samples, Wait wait) {
    Table block;
    Matrix all(static_cast<Index>(stream.names().size()), 0);
    while (stream.next(max_samples, block, wait)) {
      EXPECT_LE(block.samples(), max_samples);
      const Index before = all.cols();
      all.conservativeResize(Eigen::NoChange, before + block.samples());
      all.rightCols(block.samples()) = block.values();
    }
    EXPECT_EQ(block.samples(), 0);
    EXPECT_FALSE(stream.next(max_samples, block, wait)) << "the end stays the end";
    return all;
  }
};

/// NaN in the same places, otherwise the same bits.
bool same(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         ((a.array() == b.array()) || (a.array().isNaN() && b.array().isNaN())).all();
}

TEST_F(Stream, BlocksGiveTheWholeTable) {
  std::string text = "a,name,b\r\n";
  for (int i = 0; i < 30000; ++i)
    text += i % 11 == 3 ? fmt::format("{},\"x\n,{}\",\r\n\n", i, i)
                        : fmt::format("{:.17g},p\"q,{}\n", i / 7.0, -i);
  for (const bool packed : {false, true}) {
    const std::string file = write("t.csv", packed ? test::gzip(text) : text);
    const Table whole = read_table(file);
    ASSERT_EQ(whole.samples(), 30000);
    for (const Index block : {1, 1000, 4096, 50000})
      for (const Wait wait : {Wait::full_block, Wait::complete_line}) {
        TableStream stream(file);
        EXPECT_THAT(stream.names(), ElementsAre("a", "name", "b"));
        EXPECT_TRUE(same(drain(stream, block, wait), whole.values())) << block;
      }
  }
}

TEST_F(Stream, FullBlocksAreFullWhateverArrives) {
  std::string text = "a\n";
  for (int i = 0; i < 100000; ++i) text += fmt::format("{}\n", i);
  TableStream stream(write("t.csv", text));
  Table block;
  for (const Index expected : {33000, 33000, 33000, 1000}) {
    ASSERT_TRUE(stream.next(33000, block));
    EXPECT_EQ(block.samples(), expected);
  }
  EXPECT_FALSE(stream.next(33000, block));
}

TEST_F(Stream, NotesAreThoseOfTheBlock) {
  TableStream stream(write("t.csv", "a,b\n1,2\n3,NA\n5,6\nx,8\n"));
  Table block;
  ASSERT_TRUE(stream.next(2, block));
  EXPECT_EQ(block.notes(1).missing, 1);
  EXPECT_EQ(block.notes(1).first_missing_line, 3);
  EXPECT_NO_THROW((void)block.select({0}));
  ASSERT_TRUE(stream.next(2, block));
  EXPECT_EQ(block.notes(1).missing, 0);
  EXPECT_EQ(data_error([&] { (void)block.select({0}); }), "t.csv:5: column 'a' (1): 'x' is not a number");
}

// A line must come out of the stream before the next one is written: otherwise a program in a pipe would wait
// for ever.
TEST_F(Stream, EachLineAtOnceFromAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const auto say = [&](std::string_view text) {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  say("a,b\n1,2\n");
  TableStream stream(fmt::format("/dev/fd/{}", ends[0]));
  Table block;
  ASSERT_TRUE(stream.next(100, block, Wait::complete_line));
  EXPECT_EQ(block.values(), (Matrix{{1}, {2}}));
  say("3,4\n5,6\n7,");
  ASSERT_TRUE(stream.next(100, block, Wait::complete_line));
  EXPECT_EQ(block.values(), (Matrix{{3, 5}, {4, 6}}));
  say("8");
  close(ends[1]);
  ASSERT_TRUE(stream.next(100, block, Wait::complete_line));
  EXPECT_EQ(block.values(), (Matrix{{7}, {8}}));
  EXPECT_FALSE(stream.next(100, block, Wait::complete_line));
  close(ends[0]);
}

TEST_F(Stream, StandardInput) {
  const int file = open(write("t.csv", "a\n1\n2\n").c_str(), O_RDONLY);
  const int saved = dup(STDIN_FILENO);
  dup2(file, STDIN_FILENO);
  TableStream stream("-");
  EXPECT_EQ(stream.source(), "standard input");
  EXPECT_EQ(drain(stream, 10, Wait::full_block), (Matrix{{1, 2}}));
  lseek(STDIN_FILENO, 0, SEEK_SET);
  EXPECT_EQ(read_table("-").values(), (Matrix{{1, 2}}));
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(file);
}

TEST_F(Stream, MistakesAreThoseOfTheWholeFile) {
  Table block;
  for (const char* text : {"", "\n", "a,b\n", "a,a\n1,2\n", "a,b\n1,\"2", "a,b\n1,2\n3\n"}) {
    const std::string file = write("t.csv", text);
    const std::string whole = data_error([&] { (void)read_table(file); });
    EXPECT_EQ(data_error([&] {
                TableStream stream(file);
                while (stream.next(1, block)) {
                }
              }),
              whole);
    EXPECT_NE(whole, "no error") << text;
  }
  EXPECT_EQ(data_error([&] { TableStream stream(path("none.csv")); }), "none.csv: No such file or directory");
}

TEST_F(Stream, EndsAfterAMistake) {
  TableStream stream(write("t.csv", "a,b\n1\n3,4\n"));
  Table block;
  EXPECT_THROW(stream.next(1, block), DataError);
  EXPECT_FALSE(stream.next(1, block));
}

TEST_F(Stream, TruncatedGzipInTheMiddle) {
  std::string text = "a\n";
  for (int i = 0; i < 200000; ++i) text += fmt::format("{}\n", i * 7919 % 10007);
  const std::string packed = test::gzip(text);
  TableStream stream(write("t.csv.gz", packed.substr(0, packed.size() / 2)));
  Table block;
  EXPECT_EQ(data_error([&] {
              while (stream.next(1000, block)) {
              }
            }),
            "t.csv.gz: the gzip data ends early (truncated file?)");
}

TEST_F(Stream, Arguments) {
  TableStream stream(write("t.csv", "a\n1\n"));
  Table block;
  EXPECT_THROW(stream.next(0, block), InvalidArgument);
}

}  // namespace
}  // namespace mbll
