#include "mbll/data/lags.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "data/files.hpp"
#include "mbll/data/read.hpp"

namespace mbll {
namespace {

using testing::ElementsAre;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// x_t = t, y_t = (10 + t, 20 + t): every regressor tells where it came from.
struct Series {
  Matrix X, Y;
  explicit Series(Index samples) : X(1, samples), Y(2, samples) {
    for (Index t = 0; t < samples; ++t) {
      X(0, t) = static_cast<double>(t);
      Y(0, t) = 10 + X(0, t);
      Y(1, t) = 20 + X(0, t);
    }
  }
};

TEST(Lags, OrderOneTwo) {
  const Series s(5);
  const LaggedData data = build_lags(s.X, {"u"}, s.Y, {"a", "b"}, {.input_order = 1, .output_order = 2});
  EXPECT_THAT(data.input_names, ElementsAre("u", "a[t-1]", "b[t-1]", "a[t-2]", "b[t-2]"));
  EXPECT_THAT(data.samples, ElementsAre(2, 3, 4));
  EXPECT_EQ(data.inputs, (Matrix{{2, 3, 4}, {11, 12, 13}, {21, 22, 23}, {10, 11, 12}, {20, 21, 22}}));
  EXPECT_EQ(data.outputs, (Matrix{{12, 13, 14}, {22, 23, 24}}));
  EXPECT_EQ(data.dropped_start, 2);
}

TEST(Lags, OrderThreeOneAndNoInputs) {
  const Series s(4);
  const LaggedData data = build_lags(s.X, {"u"}, s.Y, {"a", "b"}, {.input_order = 3, .output_order = 1});
  EXPECT_THAT(data.input_names, ElementsAre("u", "u[t-1]", "u[t-2]", "a[t-1]", "b[t-1]"));
  EXPECT_EQ(data.inputs.col(0), (Vector{{2, 1, 0, 11, 21}}));
  const LaggedData pure =
      build_lags(Matrix(0, 4), {}, s.Y, {"a", "b"}, {.input_order = 0, .output_order = 1});
  EXPECT_EQ(pure.inputs, s.Y.leftCols(3));
  const LaggedData none = build_lags(s.X, {"u"}, s.Y, {"a", "b"}, {.input_order = 1, .output_order = 0});
  EXPECT_EQ(none.inputs, s.X);
}

// The convention of the paper's experiment: 5 weather inputs, 6 pollutants, P = 1, Q = 2.
TEST(Lags, BeijingHasSeventeenRegressors) {
  const LaggedData data = build_lags(Matrix::Zero(5, 9), std::vector<std::string>(5, "x"), Matrix::Zero(6, 9),
                                     std::vector<std::string>(6, "y"));
  EXPECT_EQ(data.inputs.rows(), 17);
  EXPECT_EQ(data.input_names.size(), 17);
}

TEST(Lags, MissingValuesDropWhatNeedsThem) {
  Series s(8);
  s.Y(1, 3) = kNaN;  // needed by t = 3, 4, 5
  s.X(0, 7) = kNaN;  // needed by t = 7
  const LaggedData data = build_lags(s.X, {"u"}, s.Y, {"a", "b"});
  EXPECT_THAT(data.samples, ElementsAre(2, 6));
  EXPECT_EQ(data.dropped_missing, 4);
  EXPECT_FALSE(data.inputs.hasNaN());
  LagOptions forecast;
  forecast.outputs_needed = false;
  EXPECT_THAT(build_lags(s.X, {"u"}, s.Y, {"a", "b"}, forecast).samples, ElementsAre(2, 3, 6));
}

TEST(Lags, GapsInTime) {
  const Series s(7);
  const Vector time{{0, 1, 2, 5, 6, 7, 8.5}};
  const LaggedData data = build_lags(s.X, {"u"}, s.Y, {"a", "b"}, {}, time);
  EXPECT_THAT(data.samples, ElementsAre(2, 5));
  EXPECT_EQ(data.dropped_gaps, 3);
  EXPECT_EQ(data.inputs(1, 1), 14);
}

// With a step of two samples the past lies two samples back.
TEST(Lags, StepCanBeSaid) {
  const Series s(6);
  const LaggedData data =
      build_lags(s.X, {"u"}, s.Y, {"a", "b"}, {.input_order = 1, .output_order = 1, .step = 2},
                 Vector{{0, 1, 2, 3, 4, 5}});
  EXPECT_THAT(data.samples, ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(data.inputs(1, 0), 10);
}

TEST(Lags, Arguments) {
  const Series s(4);
  EXPECT_THROW((void)build_lags(s.X, {"u", "v"}, s.Y, {"a", "b"}), InvalidArgument);
  EXPECT_THROW((void)build_lags(s.X.leftCols(3), {"u"}, s.Y, {"a", "b"}), InvalidArgument);
  EXPECT_THROW((void)build_lags(s.X, {"u"}, s.Y, {"a", "b"}, {.input_order = 0, .output_order = 0}),
               InvalidArgument);
  EXPECT_THROW((void)build_lags(s.X, {"u"}, s.Y, {"a", "b"}, {.input_order = -1}), InvalidArgument);
  EXPECT_THROW((void)build_lags(s.X, {"u"}, s.Y, {"a", "b"}, {}, Vector{{0, 1, 1, 2}}), InvalidArgument);
  EXPECT_EQ(build_lags(s.X.leftCols(1), {"u"}, s.Y.leftCols(1), {"a", "b"}).samples.size(), 0) << "too short";
}

using CalendarHours = test::Files;

TEST_F(CalendarHours, FromTheParts) {
  const Table table =
      read_table(write("t.csv", "hour,day,month,year\n5,1,1,1970\n0,1,3,2016\n23,28,2,2017\n"));
  EXPECT_EQ(calendar_hours(table),
            (Vector{{5, 24.0 * 16861, 24.0 * 17225 + 23}}));  // `date -u -d … +%s` / 3600
}

TEST_F(CalendarHours, DatesThatDoNotExist) {
  for (const char* date :
       {"2017,2,29,0", "2017,13,1,0", "2017,1,1,24", "2017,1.5,1,0", "2017,1,NA,0", "1e300,1,1,0"}) {
    const Table table = read_table(write("t.csv", std::string("year,month,day,hour\n") + date + "\n"));
    EXPECT_THAT(data_error([&] { (void)calendar_hours(table); }),
                testing::HasSubstr("t.csv: sample 1 has no valid date"));
  }
  EXPECT_THAT(data_error([&] { (void)calendar_hours(read_table(write("t.csv", "year,month\n1,2\n"))); }),
              testing::HasSubstr("no column 'day'"));
}

}  // namespace
}  // namespace mbll
