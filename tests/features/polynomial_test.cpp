#include "mbll/features/polynomial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "features/support.hpp"
#include "mbll/features/feature_map.hpp"

namespace mbll {
namespace {

using test::message_of;
using test::random_matrix;
using testing::HasSubstr;

TEST(Polynomial, ListsMonomialsByRisingDegree) {
  Polynomial::Exponents expected(2, 5);
  expected << 1, 0, 2, 1, 0,  //
      0, 1, 0, 1, 2;
  EXPECT_EQ(Polynomial::of_degree(2, 2).exponents, expected);
  Polynomial::Exponents powers(2, 6);
  powers << 1, 0, 2, 0, 3, 0,  //
      0, 1, 0, 2, 0, 3;
  EXPECT_EQ(Polynomial::of_degree(2, 3, false).exponents, powers);
}

TEST(Polynomial, ListsEveryMonomialOnce) {
  const Polynomial map = Polynomial::of_degree(4, 3);
  EXPECT_EQ(map.features(), 34);  // binomial(7, 3) − 1
  std::set<std::vector<int>> different;
  for (Index k = 0; k < map.features(); ++k) {
    const Eigen::VectorXi column = map.exponents.col(k);
    EXPECT_GE(column.sum(), 1);
    EXPECT_LE(column.sum(), 3);
    different.insert({column.begin(), column.end()});
  }
  EXPECT_EQ(std::ssize(different), map.features());
}

TEST(Polynomial, IsTheProductOfPowers) {
  const Polynomial map = Polynomial::of_degree(3, 5);
  const Matrix X = random_matrix(3, 7, 1);
  const Matrix Phi = FeatureMap(map)(X);
  for (Index n = 0; n < 7; ++n)
    for (Index k = 0; k < map.features(); ++k) {
      double expected = 1;
      for (Index j = 0; j < 3; ++j) expected *= std::pow(X(j, n), map.exponents(j, k));
      EXPECT_NEAR(Phi(k, n), expected, 1e-14 * std::abs(expected));
    }
}

TEST(Polynomial, TakesAnyExponents) {
  Polynomial::Exponents exponents(2, 3);
  exponents << 0, 7, 1,  //
      0, 0, 4;
  Matrix X(2, 1);
  X << -2, 3;
  EXPECT_EQ(FeatureMap(Polynomial{exponents})(X), Eigen::Vector3d(1, -128, -162));
}

TEST(Polynomial, RefusesBadArguments) {
  EXPECT_EQ(message_of([] { (void)Polynomial::of_degree(0, 2); }), "inputs: is 0, expected at least 1");
  EXPECT_EQ(message_of([] { (void)Polynomial::of_degree(3, 0); }), "degree: is 0, expected 1 to 1000");
  EXPECT_THAT(message_of([] { (void)Polynomial::of_degree(50, 20); }), HasSubstr("more than 10^6 features"));
  Polynomial negative{Polynomial::Exponents::Constant(2, 3, 1)};
  negative.exponents(1, 1) = -1;
  EXPECT_EQ(message_of([&] { negative.validate(); }), "exponents: -1 found, expected 0 to 1000");
}

}  // namespace
}  // namespace mbll
