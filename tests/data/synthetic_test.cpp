#include "mbll/data/synthetic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mbll/error.hpp"

namespace mbll {
namespace {

TEST(Interpolation, FourUnitIntervals) {
  const SyntheticSet set = interpolation_constant_noise();
  ASSERT_EQ(set.X.cols(), 500);
  std::vector<int> counts(4);
  for (const double x : set.X.reshaped()) {
    const std::vector<double> centres = {-3.5, -1.5, 1.5, 3.5};
    const auto inside =
        std::find_if(centres.begin(), centres.end(), [&](double c) { return std::abs(x - c) <= 0.5; });
    ASSERT_NE(inside, centres.end()) << x;
    ++counts[inside - centres.begin()];
  }
  EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 80);  // 125 ± 9.7 each: below the mean by 4.6 sd
}

TEST(Interpolation, BothNoisesShareTheInputs) {
  EXPECT_EQ(interpolation_constant_noise(20, 3).X, interpolation_heteroscedastic(20, 3).X);
  EXPECT_EQ(interpolation_heteroscedastic(20, 3).Y, interpolation_heteroscedastic(20, 3).Y);
  EXPECT_NE(interpolation_heteroscedastic(20, 3).Y, interpolation_heteroscedastic(20, 4).Y);
}

// The residuals that the stated truth leaves, divided by σ(x), have mean 0 and covariance V, in the lower as
// in the upper half of σ. Entries of the sample covariance have standard deviation ≤ 2/√n; 5 of them is a
// false alarm of 10⁻⁶.
TEST(Synthetic, SamplesFollowTheStatedTruth) {
  const Index N = 20000;
  for (const SyntheticSet& set : {interpolation_constant_noise(N, 2), interpolation_heteroscedastic(N, 2),
                                  multivariate_heteroscedastic(N, 2)}) {
    const Vector sigma = set.sigma(set.X);
    ASSERT_GT(sigma.minCoeff(), 0);
    const Matrix residual = (set.Y - set.mean(set.X)) * sigma.cwiseInverse().asDiagonal();
    std::vector<double> sorted(sigma.begin(), sigma.end());
    std::nth_element(sorted.begin(), sorted.begin() + N / 2, sorted.end());
    for (const bool upper : {false, true}) {
      std::vector<Index> half;
      for (Index i = 0; i < N; ++i)
        if ((sigma(i) >= sorted[N / 2]) == upper) half.push_back(i);
      if (half.empty()) continue;
      const Matrix part = take_samples(residual, half);
      const double n = static_cast<double>(half.size());
      EXPECT_LT(part.rowwise().mean().cwiseAbs().maxCoeff(), 5 / std::sqrt(n)) << set.name;
      EXPECT_LT((part * part.transpose() / n - set.V).cwiseAbs().maxCoeff(), 10 / std::sqrt(n)) << set.name;
    }
  }
}

TEST(Synthetic, AsATable) {
  const SyntheticSet set = multivariate_heteroscedastic(7);
  const Table table = set.table();
  EXPECT_THAT(table.names(), testing::ElementsAre("x1", "x2", "y1", "y2", "y3"));
  EXPECT_EQ(table.select(table.column_indices({"y1", "y2", "y3"})), set.Y);
}

TEST(Synthetic, ByName) {
  for (const std::string& name : synthetic_names()) EXPECT_EQ(make_synthetic(name).name, name);
  EXPECT_THROW((void)make_synthetic("multivariat"), InvalidArgument);
  EXPECT_THROW((void)interpolation_constant_noise(0), InvalidArgument);
}

}  // namespace
}  // namespace mbll
