#include "mbll/experiments/beijing.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "experiments/beijing_data.hpp"
#include "mbll/data/table.hpp"
#include "mbll/error.hpp"

namespace mbll::experiments {
namespace {

TEST(Beijing, RefusesAnUnknownStation) {
  ExperimentOptions options;
  options.stations = {"tiantam"};
  EXPECT_THROW((void)run_beijing(options), InvalidArgument);
}

TEST(Beijing, SplitsInTimeAndStandardisesByTheTrainingPart) {
  if (std::getenv("MBLL_DATA") == nullptr) GTEST_SKIP() << "MBLL_DATA does not name the data folder";
  const Station station = load_station("tiantan", "");
  const Forecasting data(station, 1, 2);
  EXPECT_EQ(data.X.rows(), 17);
  EXPECT_EQ(data.train.size() + data.validation.size() + data.test.size(),
            static_cast<std::size_t>(data.hour.size()));
  EXPECT_LT(data.hour(data.train.back()), data.hour(data.validation.front()));
  EXPECT_LT(data.hour(data.validation.back()), data.hour(data.test.front()));
  const Matrix train = take_samples(data.Y, data.train);
  EXPECT_LT(train.rowwise().mean().cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_NEAR(train.row(3).squaredNorm() / static_cast<double>(train.cols()), 1, 1e-10);

  // y_{t−1} and y_{t−2} stand behind the weather.
  const Index i = data.test[1000];
  const Index t = data.raw.samples[static_cast<std::size_t>(i)];
  EXPECT_EQ(data.raw.inputs.col(i).segment(5, 6), station.Y.col(t - 1));
  EXPECT_EQ(data.raw.inputs.col(i).segment(11, 6), station.Y.col(t - 2));
}

}  // namespace
}  // namespace mbll::experiments
