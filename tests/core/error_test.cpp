#include "mbll/error.hpp"
#include "support/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace mbll {
namespace {

using test::message_of;

TEST(Check, ShapeNamesTheArgumentAndBothShapes) {
  EXPECT_EQ(message_of([] { check::shape("Phi", Matrix(2, 3), 4, 5); }), "Phi: shape is 2×3, expected 4×5");
}

TEST(Check, FiniteNamesTheFirstBadEntry) {
  Matrix value = Matrix::Zero(2, 3);
  EXPECT_NO_THROW(check::finite("Y", value));
  value(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of([&] { check::finite("Y", value); }), testing::HasSubstr("Y: entry (1, 2) is nan"));
}

TEST(Check, PositiveRefusesZeroAndInfinity) {
  EXPECT_NO_THROW(check::positive("sigma", Vector::Ones(2)));
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity()})
    EXPECT_THROW(check::positive("sigma", Vector::Constant(2, bad)), InvalidArgument);
}

}  // namespace
}  // namespace mbll
