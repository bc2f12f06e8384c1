#include "mbll/features/feature_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "features/support.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/gaussian_kernels.hpp"
#include "mbll/features/identity.hpp"
#include "mbll/features/polynomial.hpp"
#include "mbll/features/random_fourier.hpp"
#include "mbll/features/standardised.hpp"
#include "mbll/parallel.hpp"

namespace mbll {
namespace {

using test::message_of;
using test::random_matrix;
using testing::HasSubstr;

/// A user's map: sums and differences of two inputs.
struct SumAndDifference {
  [[nodiscard]] Index inputs() const { return 2; }
  [[nodiscard]] Index features() const { return 2; }
  void map(const MatrixView& X, MatrixSpan Phi) const {
    Phi.row(0) = X.row(0) + X.row(1);
    Phi.row(1) = X.row(0) - X.row(1);
  }
};

struct NoFeatures {
  [[nodiscard]] Index inputs() const { return 2; }
  [[nodiscard]] Index features() const { return 0; }
  void map(const MatrixView&, MatrixSpan) const {}
};

static_assert(FeatureMapLike<SumAndDifference> && FeatureMapLike<Identity> && FeatureMapLike<FeatureMap>);
static_assert(!FeatureMapLike<std::string>);

/// Every map of the library, on 3 inputs.
std::vector<FeatureMap> all_maps() {
  const FeatureMap kernels = GaussianKernels{random_matrix(3, 7, 1), Vector::LinSpaced(7, 0.5, 2)};
  return {Identity{3},
          Polynomial::of_degree(3, 4),
          Polynomial::of_degree(3, 4, false),
          kernels,
          RandomFourier::gaussian(11, 3, 0.8, 2),
          Mirrored{kernels},
          Concatenated{{kernels, Identity{3}}},
          WithConstant{kernels},
          Standardised::fit(kernels, random_matrix(3, 50, 3))};
}

TEST(FeatureMap, HoldsAUsersMap) {
  const FeatureMap map = SumAndDifference{};
  Matrix X(2, 3);
  X << 1, 2, 3, 10, 20, 30;
  Matrix expected(2, 3);
  expected << 11, 22, 33, -9, -18, -27;
  EXPECT_EQ(map(X), expected);
}

TEST(FeatureMap, TargetGivesTheConcreteMapBack) {
  const FeatureMap map = Identity{4};
  const std::vector<FeatureMap> copies(3, map);
  const FeatureMap& copy = copies.back();
  ASSERT_NE(copy.target<Identity>(), nullptr);
  EXPECT_EQ(copy.target<Identity>()->dimension, 4);
  EXPECT_EQ(copy.target<Identity>(), map.target<Identity>()) << "copies share the map";
  EXPECT_EQ(copy.target<Polynomial>(), nullptr);
}

TEST(FeatureMap, WritesIntoABlockAndNowhereElse) {
  const Matrix storage = random_matrix(8, 12, 4);
  const auto X = storage.block(2, 3, 3, 5);  // outer stride 8
  for (const FeatureMap& map : all_maps()) {
    const Index d = map.features();
    Matrix target = Matrix::Constant(d + 4, 9, -77);
    map.map(X, target.block(1, 2, d, 5));
    EXPECT_EQ(target.block(1, 2, d, 5), map(Matrix(X)));
    target.block(1, 2, d, 5).setConstant(-77);
    EXPECT_TRUE((target.array() == -77).all());
  }
}

TEST(FeatureMap, SampleBySampleIsTheSameAsABlock) {
  const Matrix X = random_matrix(3, 6, 5);
  for (const FeatureMap& map : all_maps()) {
    const Matrix Phi = map(X);
    for (Index n = 0; n < X.cols(); ++n)
      EXPECT_LE((map(X.col(n)) - Phi.col(n)).cwiseAbs().maxCoeff(), 1e-14 * (1 + Phi.cwiseAbs().maxCoeff()));
  }
}

TEST(FeatureMap, NoSamplesGiveNoFeatures) {
  for (const FeatureMap& map : all_maps()) {
    const Matrix Phi = map(Matrix(3, 0));
    EXPECT_EQ(Phi.rows(), map.features());
    EXPECT_EQ(Phi.cols(), 0);
  }
}

TEST(FeatureMap, ThreadsMayShareAMap) {
  const Matrix X = random_matrix(3, 40, 6);
  for (const FeatureMap& map : all_maps()) {
    const Matrix expected = map(X);
    std::vector<Matrix> found(16);
    parallel_for(16, 4, [&](Index i) { found[i] = map(X); });
    for (const Matrix& Phi : found) EXPECT_EQ(Phi, expected);
  }
}

TEST(FeatureMap, NamesWhatIsWrongWithTheArguments) {
  const FeatureMap map = WithConstant{Identity{3}};
  EXPECT_EQ(message_of([&] { (void)map(Matrix::Zero(2, 5)); }),
            "X: has 2 rows (inputs), the feature map takes 3");
  Matrix Phi(4, 6);
  EXPECT_EQ(message_of([&] { map.map(Matrix::Zero(3, 5), Phi); }), "Phi: shape is 4×6, expected 4×5");
  Matrix X = Matrix::Zero(3, 6);
  X(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of([&] { map.map(X, Phi); }), HasSubstr("X: entry (2, 1) is nan"));
  X(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THAT(message_of([&] { map.map(X, Phi); }), HasSubstr("X: entry (2, 1) is inf"));
}

TEST(FeatureMap, RefusesAMapWithoutInputsOrFeatures) {
  EXPECT_EQ(message_of([] { const FeatureMap map = NoFeatures{}; }),
            "feature map: has 0 features, expected at least 1");
  EXPECT_EQ(message_of([] { const FeatureMap map = Identity{0}; }),
            "feature map: has 0 inputs, expected at least 1");
}

TEST(FeatureMap, ValidatesWhatItTakesOver) {
  EXPECT_EQ(message_of([] {
              const FeatureMap map = GaussianKernels{Matrix::Zero(2, 3), Vector::Ones(4)};
            }),
            "widths: has 4 entries, expected 3");
}

}  // namespace
}  // namespace mbll
