#include "mbll/data/read.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>

#include "data/files.hpp"

namespace mbll {
namespace {

using testing::ElementsAre;

class ReadTable : public test::Files {
 protected:
  [[nodiscard]] Table read(std::string_view content, const ReadOptions& options = {}) const {
    return read_table(write("t.csv", content), options);
  }
};

Matrix matrix(Index rows, Index columns, std::initializer_list<double> by_row) {
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      by_row.begin(), rows, columns);
}

// Every way to write the same table: values are C×N, so this is two columns a = 1, −2.5, 3 and b = 4e2, 5, 6.
const Matrix kExpected = matrix(2, 3, {1, -2.5, 3, 400, 5, 6});

TEST_F(ReadTable, EveryWayToWriteTheSameTable) {
  for (const std::string_view text : {
           "a,b\n1,4e2\n-2.5,5\n3,6\n",
           "a,b\n1,4e2\n-2.5,5\n3,6",            // no line end at the end
           "a,b\r\n1,4e2\r\n-2.5,5\r\n3,6\r\n",  // CRLF
           "a,b\r\n1,4e2\r\n-2.5,5\r\n3,6",      //
           "\xEF\xBB\xBF"
           "a,b\n1,4e2\n-2.5,5\n3,6\n",                        // byte order mark
           "a\tb\n1\t4e2\n-2.5\t5\n3\t6\n",                    // TSV
           "a;b\n1;4e2\n-2.5;5\n3;6\n",                        //
           "\"a\",\"b\"\n\"1\",\"4e2\"\n-2.5,\"5\"\n3,\"6\"",  // quotes
           " a , b \n 1 , 4e2\n-2.5 ,5 \n\"3\" , \"6\" \n",    // blanks
           "\n\na,b\n\n1,4e2\n\n\r\n-2.5,5\n3,6\n\n  \n",      // blank lines
           "a,b\n+1,+4E+02\n-2.50,5.\n3.0,.06e2\n",            // ways to write a number
       }) {
    const Table table = read(text);
    EXPECT_THAT(table.names(), ElementsAre("a", "b")) << text;
    EXPECT_EQ(table.values(), kExpected) << text;
  }
}

TEST_F(ReadTable, GzipByContentNotByName) {
  const std::string text = "a,b\n1,4e2\n-2.5,5\n3,6\n";
  EXPECT_EQ(read(test::gzip(text)).values(), kExpected);
  // several members one after another, as `cat a.gz b.gz` makes them, and padding by zeros
  EXPECT_EQ(
      read(test::gzip(text.substr(0, 9)) + test::gzip(text.substr(9)) + std::string(100, '\0')).values(),
      kExpected);
}

TEST_F(ReadTable, QuotedCellsHoldDelimitersQuotesAndLineEnds) {
  const Table table = read("\"x, first\",\"the \"\"y\"\"\",note\n1,2,\"a,b\nc\"\n3,4,\"\"\"\"\n");
  EXPECT_THAT(table.names(), ElementsAre("x, first", "the \"y\"", "note"));
  EXPECT_EQ(table.select({Index{0}, Index{1}}), matrix(2, 2, {1, 3, 2, 4}));
  EXPECT_EQ(table.notes(2).bad_text, "a,b?c");
}

TEST_F(ReadTable, LinesAreCountedThroughQuotedLineEnds) {
  EXPECT_EQ(data_error([&] { (void)read("a,b\n\"1\n2\n3\",4\n5\n"); }), "t.csv:5: 1 field, expected 2");
}

TEST_F(ReadTable, WithoutHeader) {
  const Table table = read("1,2\n3,4\n");
  EXPECT_THAT(table.names(), ElementsAre("x1", "x2"));
  EXPECT_EQ(table.values(), matrix(2, 2, {1, 3, 2, 4}));
  // years as names of columns need to be said
  const Table years = read("2019,2020\n3,4\n", {.header = Header::present});
  EXPECT_THAT(years.names(), ElementsAre("2019", "2020"));
  EXPECT_EQ(years.samples(), 1);
  EXPECT_EQ(read("a,b\n3,4\n", {.header = Header::absent}).samples(), 2);
}

TEST_F(ReadTable, EmptyNamesAreNumbered) {
  EXPECT_THAT(read(",b,\n1,2,3\n").names(), ElementsAre("x1", "b", "x3"));
}

TEST_F(ReadTable, DelimiterCanBeSaid) {
  EXPECT_EQ(read("a|b\n1|2\n", {.delimiter = '|'}).values(), matrix(2, 1, {1, 2}));
  EXPECT_THROW((void)read("a b\n1 2\n", {.delimiter = ' '}), InvalidArgument);
}

TEST_F(ReadTable, EmptyAndNaAreMissing) {
  const Table table = read("a,b,c\n1,,NA\n na ,2,\"\"\n,\"NA\",3\n");
  for (Index c = 0; c < 3; ++c) {
    EXPECT_EQ(table.notes(c).missing, 2);
    EXPECT_TRUE(table.notes(c).numeric());
    for (Index i = 0; i < 3; ++i) EXPECT_EQ(std::isnan(table.values()(c, i)), c != i);
  }
  EXPECT_EQ(table.notes(0).first_missing_line, 3);
  EXPECT_EQ(table.notes(1).first_missing_line, 2);
}

TEST_F(ReadTable, NumbersAreRoundedExactly) {
  // Hard cases of decimal to binary conversion: halfway between two doubles and one digit off, subnormal,
  // largest.
  const Table table = read(
      "x\n9007199254740993\n9007199254740993.0000000000000000000000000000000001\n2.2250738585072011e-308\n"
      "4.9406564584124654e-324\n2e-324\n1.7976931348623157e308\n0.1\n123456789012345678901234567890\n-"
      "0\n1e300\n1e-400\n");
  const Matrix& x = table.values();
  EXPECT_EQ(x(0, 0), 9007199254740992.0);
  EXPECT_EQ(x(0, 1), 9007199254740994.0);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(x(0, 2)), 0xfffffffffffffULL);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(x(0, 3)), 1ULL);
  EXPECT_EQ(x(0, 4), 0.0);
  EXPECT_EQ(x(0, 5), std::numeric_limits<double>::max());
  EXPECT_EQ(x(0, 6), 0.1);
  EXPECT_EQ(x(0, 7), 123456789012345678901234567890.0);
  EXPECT_TRUE(std::signbit(x(0, 8)));
  EXPECT_EQ(x(0, 9), 1e300);
  EXPECT_EQ(x(0, 10), 0.0);
  EXPECT_TRUE(table.notes(0).numeric());
}

TEST_F(ReadTable, TextColumnsAreToleratedUntilUsed) {
  const Table table = read("y,station\n1,north\n2,7\n");
  EXPECT_EQ(table.select(table.column_indices({"y"})), matrix(1, 2, {1, 2}));
  EXPECT_EQ(data_error([&] { (void)table.select(table.column_indices({"station"})); }),
            "t.csv:2: column 'station' (2): 'north' is not a number");
}

// Larger than one chunk of the parallel reader, with blank lines, missing values and text spread over the
// chunks: the same bits, counts and lines for any number of threads, and the same as the single-threaded
// stream finds.
TEST_F(ReadTable, SameResultForAnyNumberOfThreads) {
  std::string text = "a,b,c,d\n";
  Rng rng = make_rng(5);
  std::uniform_real_distribution<double> uniform(-1e3, 1e3);
  const Index samples = 60000;
  Matrix expected(4, samples);
  for (Index i = 0; i < samples; ++i) {
    for (Index c = 0; c < 4; ++c) expected(c, i) = uniform(rng);
    if (i % 7001 == 3) text += "\n\r\n";
    if (i % 9001 == 8000) {
      expected(1, i) = std::nan("");
      text += fmt::format("{},NA,{},{}\n", expected(0, i), expected(2, i), expected(3, i));
    } else {
      text += fmt::format("{},{},{},{}\n", expected(0, i), expected(1, i), expected(2, i), expected(3, i));
    }
  }
  ASSERT_GT(text.size(), std::size_t{3} << 20);
  const std::string file = write("large.csv", text);
  for (const int threads : {1, 2, 5}) {
    const Table table = read_table(file, {.threads = threads});
    ASSERT_EQ(table.samples(), samples);
    EXPECT_EQ(table.select({Index{0}, Index{2}, Index{3}}), expected({0, 2, 3}, Eigen::all));
    EXPECT_EQ(table.notes(1).missing, 6);
    EXPECT_EQ(table.notes(1).first_missing_line, 8000 + 2 + 2 * 2);
    EXPECT_TRUE(std::isnan(table.values()(1, 8000)));
  }
  // a mistake in a late chunk is found with its line
  const std::string broken = write("broken.csv", text + "1,2,3\n");
  const auto lines = std::count(text.begin(), text.end(), '\n');
  for (const int threads : {1, 3})
    EXPECT_EQ(data_error([&] { (void)read_table(broken, {.threads = threads}); }),
              fmt::format("broken.csv:{}: 3 fields, expected 4", lines + 1));
}

// Text after quotes appear has to be read from the front; both ways must agree.
TEST_F(ReadTable, LargeFileWithQuotes) {
  std::string text = "a,name\n";
  for (int i = 0; i < 150000; ++i) text += fmt::format("{},\"n\n{}\"\n", i, i);
  const Table table = read(text, {.threads = 3});
  ASSERT_EQ(table.samples(), 150000);
  EXPECT_EQ(table.values()(0, 149999), 149999);
}

// One bad input after the other: each names the file, and line and column where there are any.
TEST_F(ReadTable, MissingFile) {
  EXPECT_EQ(data_error([&] { (void)read_table(path("none.csv")); }), "none.csv: No such file or directory");
}

TEST_F(ReadTable, Directory) {
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(data_error([&] { (void)read_table(path("folder")); }), "folder: is a directory, expected a file");
}

TEST_F(ReadTable, EmptyFile) {
  EXPECT_EQ(data_error([&] { (void)read(""); }), "t.csv: is empty");
  EXPECT_EQ(data_error([&] { (void)read("\n\r\n  \n"); }), "t.csv: is empty");
}

TEST_F(ReadTable, HeaderOnly) {
  EXPECT_EQ(data_error([&] { (void)read("a,b\n"); }), "t.csv: has a header but no data");
  EXPECT_EQ(data_error([&] { (void)read("a,b"); }), "t.csv: has a header but no data");
}

TEST_F(ReadTable, RaggedLine) {
  EXPECT_EQ(data_error([&] { (void)read("a,b,c\n1,2,3\n4,5\n"); }), "t.csv:3: 2 fields, expected 3");
  EXPECT_EQ(data_error([&] { (void)read("a,b,c\n1,2,3\n4,5,6,7\n"); }), "t.csv:3: 4 fields, expected 3");
  EXPECT_EQ(data_error([&] { (void)read("a,b,c\n1,2,3,\n"); }), "t.csv:2: 4 fields, expected 3");
}

TEST_F(ReadTable, TextInANumericColumn) {
  const Table table = read("x,y\n1,2\n3,12.5abc\n");
  EXPECT_EQ(data_error([&] { (void)table.select(table.column_indices({"y"})); }),
            "t.csv:3: column 'y' (2): '12.5abc' is not a number");
}

TEST_F(ReadTable, NotFinite) {
  for (const char* word : {"nan", "NaN", "inf", "-Infinity", "1e999", "-1e400"}) {
    const Table table = read(fmt::format("x,y\n1,2\n3,{}\n", word));
    EXPECT_EQ(data_error([&] { (void)table.select(table.column_indices({"y"})); }),
              fmt::format("t.csv:3: column 'y' (2): '{}' is not a finite number", word));
  }
}

TEST_F(ReadTable, DuplicateNames) {
  EXPECT_EQ(data_error([&] { (void)read("a,b,a\n1,2,3\n"); }),
            "t.csv:1: columns 1 and 3 have the same name 'a'");
}

TEST_F(ReadTable, QuotesThatDoNotFit) {
  EXPECT_EQ(data_error([&] { (void)read("a,b\n1,\"2\n3,4\n"); }), "t.csv:2: a quoted cell does not end");
  EXPECT_EQ(data_error([&] { (void)read("a,b\n1,\"2\"3\n"); }),
            "t.csv:2: text after the closing quote of '2'");
}

TEST_F(ReadTable, TruncatedGzip) {
  const std::string packed = test::gzip("a,b\n1,4e2\n-2.5,5\n3,6\n");
  for (std::size_t length = 2; length < packed.size(); ++length)
    EXPECT_EQ(data_error([&] { (void)read(packed.substr(0, length)); }),
              "t.csv: the gzip data ends early (truncated file?)");
}

TEST_F(ReadTable, DamagedGzip) {
  std::string packed = test::gzip("a,b\n1,4e2\n-2.5,5\n3,6\n");
  packed[packed.size() - 6] ^= 1;  // the checksum
  EXPECT_EQ(data_error([&] { (void)read(packed); }), "t.csv: the gzip data is damaged");
  EXPECT_EQ(data_error([&] { (void)read(test::gzip("a\n1\n") + "rest"); }),
            "t.csv: the gzip data is damaged");
}

}  // namespace
}  // namespace mbll
