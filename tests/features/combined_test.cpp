#include "mbll/features/combined.hpp"

#include <gtest/gtest.h>

#include "features/support.hpp"
#include "mbll/features/gaussian_kernels.hpp"
#include "mbll/features/identity.hpp"
#include "mbll/features/polynomial.hpp"

namespace mbll {
namespace {

using test::message_of;
using test::random_matrix;

class Combined : public testing::Test {
 protected:
  const FeatureMap kernels = GaussianKernels{random_matrix(3, 5, 1), Vector::LinSpaced(5, 0.5, 2)};
  const Matrix X = random_matrix(3, 7, 2);
};

TEST_F(Combined, MirroredIsTheMapAtXAndAtMinusX) {
  const Matrix Phi = FeatureMap(Mirrored{kernels})(X);
  ASSERT_EQ(Phi.rows(), 10);
  EXPECT_EQ(Phi.topRows(5), kernels(X));
  EXPECT_EQ(Phi.bottomRows(5), kernels(-X));
}

TEST_F(Combined, MirroredTwiceRepeats) {
  const Matrix Phi = FeatureMap(Mirrored{FeatureMap(Mirrored{kernels})})(X);
  ASSERT_EQ(Phi.rows(), 20);
  EXPECT_EQ(Phi.middleRows(5, 5), Phi.middleRows(10, 5));
  EXPECT_EQ(Phi.topRows(5), Phi.bottomRows(5));
}

TEST_F(Combined, ConcatenatedStacksItsParts) {
  const FeatureMap squares = Polynomial::of_degree(3, 2);
  const Matrix Phi = FeatureMap(Concatenated{{kernels, Identity{3}, squares}})(X);
  ASSERT_EQ(Phi.rows(), 5 + 3 + 9);
  EXPECT_EQ(Phi.topRows(5), kernels(X));
  EXPECT_EQ(Phi.middleRows(5, 3), X);
  EXPECT_EQ(Phi.bottomRows(9), squares(X));
}

TEST_F(Combined, ConstantComesLast) {
  const Matrix Phi = FeatureMap(WithConstant{kernels})(X);
  ASSERT_EQ(Phi.rows(), 6);
  EXPECT_EQ(Phi.topRows(5), kernels(X));
  EXPECT_EQ(Phi.row(5), Matrix::Ones(1, 7));
}

TEST_F(Combined, PartsCanBeReadBack) {
  const FeatureMap map = WithConstant{Mirrored{kernels}};
  const auto* outer = map.target<WithConstant>();
  ASSERT_NE(outer, nullptr);
  const auto* mirrored = outer->inner.target<Mirrored>();
  ASSERT_NE(mirrored, nullptr);
  EXPECT_EQ(mirrored->inner.target<GaussianKernels>(), kernels.target<GaussianKernels>());
}

TEST_F(Combined, ConcatenatedRefusesPartsThatDoNotFit) {
  EXPECT_EQ(message_of([&] {
              const FeatureMap map = Concatenated{{kernels, Identity{2}}};
            }),
            "parts: one part takes 3 inputs, another 2; expected the same");
  EXPECT_EQ(message_of([] { const FeatureMap map = Concatenated{}; }), "parts: is empty");
}

}  // namespace
}  // namespace mbll
