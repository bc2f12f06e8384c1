#include "mbll/bayes/least_squares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "support/golden.hpp"
#include "support/problem.hpp"

namespace mbll {
namespace {

using golden::relative_error;
using test::make_problem;
using test::message_of;
using test::Problem;

TEST(LeastSquares, SolvesTheNormalEquations) {
  const Problem problem = make_problem({2, 5, 30, 4}, 112);
  const LeastSquares fit = least_squares(problem.statistics());
  const Matrix weight = problem.sigma.cwiseAbs2().cwiseInverse().asDiagonal();
  const Matrix gram = problem.Phi * weight * problem.Phi.transpose();
  EXPECT_TRUE(fit.unique());
  EXPECT_LE(relative_error(fit.weights, problem.Y * weight * problem.Phi.transpose() * gram.inverse()),
            1e-12);
  const Matrix residual = problem.Y - fit.weights * problem.Phi;
  EXPECT_LE(relative_error(fit.residual_scatter, residual * weight * residual.transpose()), 1e-12);
  EXPECT_LE(relative_error(fit.variance_factor(problem.Phi_new),
                           (problem.Phi_new.transpose() * gram.inverse() * problem.Phi_new).diagonal()),
            1e-11);
}

TEST(LeastSquares, ReportsTheRankAndTakesTheSmallestSolution) {
  Problem problem = make_problem({2, 5, 30, 4}, 113);
  problem.Phi.row(3) = 2 * problem.Phi.row(0) - problem.Phi.row(1);
  problem.Phi.row(4).setZero();
  const LeastSquares fit = least_squares(problem.statistics());
  EXPECT_EQ(fit.rank, 3);
  EXPECT_FALSE(fit.unique());
  EXPECT_EQ(fit.weights.col(4), Vector::Zero(2));
  // the residual is that of the three independent features
  problem.Phi = problem.Phi.topRows(3).eval();
  EXPECT_LE(relative_error(fit.residual_scatter, least_squares(problem.statistics()).residual_scatter),
            1e-12);
  EXPECT_EQ(least_squares(Statistics(3, 2)).rank, 0);
  EXPECT_EQ(least_squares(Statistics(3, 2)).weights, Matrix::Zero(2, 3));
}

TEST(LeastSquares, BadInputNamesTheArgument) {
  using testing::StartsWith;
  const Problem problem = make_problem({2, 4, 9, 3}, 114);
  EXPECT_THAT(
      message_of([&] { (void)least_squares(problem.statistics()).variance_factor(Matrix::Zero(1, 1)); }),
      StartsWith("Phi: "));
}

}  // namespace
}  // namespace mbll
