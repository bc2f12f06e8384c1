#include "mbll/data/catalogue.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "data/files.hpp"
#include "mbll/data/lags.hpp"
#include "mbll/data/missing.hpp"

namespace mbll {
namespace {

using testing::HasSubstr;

class Catalogue : public test::Files {};

TEST_F(Catalogue, NamesAreDistinctAndSumsComplete) {
  std::set<std::string> names;
  for (const PublicSet& set : public_sets()) {
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_EQ(set.sha256.size(), 64);
    EXPECT_EQ(set.splits_file.empty(), set.splits_sha256.empty());
    EXPECT_FALSE(set.targets.empty());
    EXPECT_EQ(&public_set(set.name), &set);
  }
  EXPECT_EQ(names.size(), 6 + 8);
  EXPECT_THROW((void)public_set("yatch"), InvalidArgument);
}

TEST_F(Catalogue, SaysWhereToGetAFile) {
  PublicSet set = public_set("yacht");
  set.file = "uci/not-there.csv";
  const std::string message = data_error([&] { (void)find_public_file(set, path("")); });
  EXPECT_THAT(message, HasSubstr("uci/not-there.csv: not found"));
  EXPECT_THAT(message, HasSubstr("Yacht Hydrodynamics' (UCI 243, doi:10.24432/C5XG7R)"));
}

TEST_F(Catalogue, RefusesAFileWithOtherContent) {
  std::filesystem::create_directories(path("uci"));
  write("uci/yacht.csv", "a,b\n1,2\n");
  EXPECT_THAT(data_error([&] { (void)load_public(public_set("yacht"), path("")); }),
              HasSubstr("uci/yacht.csv: is not the expected file (SHA-256 "));
}

TEST_F(Catalogue, TheGivenFolderComesFirst) {
  PublicSet set = public_set("yacht");
  set.sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // of "abc"
  std::filesystem::create_directories(path("uci"));
  const std::string file = write("uci/yacht.csv", "abc");
  EXPECT_TRUE(std::filesystem::equivalent(find_public_file(set, path("")), file));
}

#define NEED_REAL_DATA()                   \
  if (std::getenv("MBLL_DATA") == nullptr) \
  GTEST_SKIP() << "MBLL_DATA does not name the folder with the public data sets"

// Samples, columns, and mean, standard deviation (N − 1), smallest and largest value of the targets as
// published with the files.
TEST_F(Catalogue, UciSetsHaveThePublishedStatistics) {
  NEED_REAL_DATA();
  struct Expected {
    Index samples, inputs;
    std::vector<Vector> targets;  // mean, sd, min, max
    std::size_t test_samples;
  };
  const std::map<std::string, Expected> expected = {
      {"boston", {506, 13, {Vector{{22.532806, 9.197104, 5, 50}}}, 51}},
      {"concrete", {1030, 8, {Vector{{35.817961, 16.705742, 2.33, 82.6}}}, 103}},
      {"energy",
       {768,
        8,
        {Vector{{22.307195, 10.090204, 6.01, 43.1}}, Vector{{24.587760, 9.513306, 10.9, 48.03}}},
        77}},
      {"power", {9568, 4, {Vector{{454.365009, 17.066995, 420.26, 495.76}}}, 957}},
      {"wine", {1599, 11, {Vector{{5.636023, 0.807569, 3, 8}}}, 160}},
      {"yacht", {308, 6, {Vector{{10.495357, 15.160490, 0.01, 62.42}}}, 31}},
  };
  for (const auto& [name, e] : expected) {
    const PublicSet& set = public_set(name);
    const Table table = load_public(set);
    EXPECT_EQ(table.samples(), e.samples) << name;
    EXPECT_EQ(table.columns(), static_cast<Index>(set.inputs.size() + set.targets.size())) << name;
    const Matrix X = table.select(table.column_indices(set.inputs));
    EXPECT_EQ(X.rows(), e.inputs) << name;
    EXPECT_TRUE(X.allFinite()) << name;
    const Matrix Y = table.select(table.column_indices(set.targets));
    ASSERT_EQ(Y.rows(), static_cast<Index>(e.targets.size()));
    for (Index j = 0; j < Y.rows(); ++j) {
      const double mean = Y.row(j).mean();
      const double sd =
          std::sqrt((Y.row(j).array() - mean).square().sum() / static_cast<double>(e.samples - 1));
      EXPECT_NEAR(mean, e.targets[j](0), 5.1e-7) << name;
      EXPECT_NEAR(sd, e.targets[j](1), 5.1e-7) << name;
      EXPECT_EQ(Y.row(j).minCoeff(), e.targets[j](2)) << name;
      EXPECT_EQ(Y.row(j).maxCoeff(), e.targets[j](3)) << name;
    }
    const auto splits = load_public_splits(set, table.samples());
    ASSERT_EQ(splits.size(), 20) << name;
    for (const Split& split : splits) EXPECT_EQ(split.test.size(), e.test_samples) << name;
  }
}

// Missing values per column, and the numbers of samples with all six pollutants, as published with the files.
TEST_F(Catalogue, BeijingStationsHaveThePublishedCounts) {
  NEED_REAL_DATA();
  struct Expected {
    std::vector<Index> missing;  // PM2.5 PM10 SO2 NO2 CO O3 TEMP PRES DEWP RAIN WSPM
    Index with_all_pollutants;
  };
  const std::map<std::string, Expected> expected = {
      {"aotizhongxin", {{925, 718, 935, 1023, 1776, 1719, 20, 20, 20, 20, 14}, 31896}},
      {"changping", {{774, 582, 628, 667, 1521, 604, 53, 50, 53, 51, 43}, 32828}},
      {"dingling", {{779, 656, 730, 1234, 2012, 1214, 53, 50, 53, 51, 43}, 31453}},
      {"guanyuan", {{616, 429, 474, 659, 1753, 1173, 20, 20, 20, 20, 14}, 32348}},
      {"huairou", {{953, 777, 980, 1639, 1422, 1151, 51, 53, 53, 55, 49}, 32010}},
      {"nongzhanguan", {{628, 440, 446, 692, 1206, 506, 20, 20, 20, 20, 14}, 33196}},
      {"tiantan", {{677, 597, 1118, 744, 1126, 843, 20, 20, 20, 20, 14}, 32927}},
      {"wanshouxigong", {{696, 484, 669, 754, 1297, 1078, 19, 19, 19, 19, 13}, 32846}},
  };
  for (const auto& [station, e] : expected) {
    const PublicSet& set = public_set("beijing-" + station);
    const Table table = load_public(set);
    ASSERT_EQ(table.samples(), 35064) << station;
    ASSERT_EQ(table.columns(), 18) << station;
    std::vector<std::string> used = set.targets;
    used.insert(used.end(), set.inputs.begin(), set.inputs.end());
    const std::vector<Index> columns = table.column_indices(used);
    for (std::size_t k = 0; k < columns.size(); ++k)
      EXPECT_EQ(table.notes(columns[k]).missing, e.missing[k]) << station << " " << used[k];
    const auto pollutants = table.column_indices(set.targets);
    EXPECT_EQ(select_complete(table, pollutants, MissingPolicy::drop).values.cols(), e.with_all_pollutants)
        << station;
    EXPECT_THAT(data_error([&] { (void)table.select(table.column_indices({"station"})); }),
                HasSubstr("is not a number"));

    const Vector hours = calendar_hours(table);  // hourly without a gap
    EXPECT_EQ(hours(hours.size() - 1) - hours(0), 35063) << station;
    const LaggedData lagged = build_lags(table.select(table.column_indices(set.inputs)), set.inputs,
                                         table.select(pollutants), set.targets, {}, hours);
    EXPECT_EQ(lagged.inputs.rows(), 17);
    EXPECT_EQ(lagged.dropped_gaps, 0);
    EXPECT_EQ(lagged.dropped_start + lagged.dropped_missing + static_cast<Index>(lagged.samples.size()),
              35064);
    EXPECT_FALSE(lagged.inputs.hasNaN() || lagged.outputs.hasNaN());
  }
}

}  // namespace
}  // namespace mbll
