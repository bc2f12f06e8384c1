#include "mbll/data/scaler.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "mbll/error.hpp"

namespace mbll {

Scaler Scaler::fit(const MatrixView& X) {
  check::require(X.cols() > 0, "X", "has no samples");
  check::finite("X", X);
  const double n = static_cast<double>(X.cols());
  const Vector lowest = X.rowwise().minCoeff();
  const Vector highest = X.rowwise().maxCoeff();
  // Everything is computed on X / unit with a power of two near the largest value: exact, and neither sums
  // nor squares can overflow or vanish.
  const Vector largest = lowest.cwiseAbs().cwiseMax(highest.cwiseAbs());
  const Vector unit =
      largest.unaryExpr([](double x) { return x > 0 ? std::ldexp(1.0, std::ilogb(x)) : 1.0; });
  Vector sum = Vector::Zero(X.rows());
  for (Index i = 0; i < X.cols(); ++i) sum.array() += X.col(i).array() / unit.array();
  Vector mean = sum / n;
  Vector rest = Vector::Zero(X.rows());  // what rounding left of the mean: matters where the spread is tiny
  Vector squares = Vector::Zero(X.rows());
  for (Index i = 0; i < X.cols(); ++i) {
    const Vector difference = (X.col(i).array() / unit.array() - mean.array()).matrix();
    rest += difference;
    squares += difference.cwiseAbs2();
  }
  rest /= n;
  mean += rest;
  const Vector variance = (squares / n - rest.cwiseAbs2()).cwiseMax(0);

  Scaler scaler{mean.cwiseProduct(unit), variance.cwiseSqrt().cwiseProduct(unit)};
  for (Index j = 0; j < X.rows(); ++j) {
    if (lowest(j) == highest(j))
      scaler.mean(j) = lowest(j);  // exactly, so that the feature becomes exactly 0
    if (lowest(j) == highest(j) || scaler.scale(j) < std::numeric_limits<double>::min()) scaler.scale(j) = 1;
  }
  return scaler;
}

Scaler Scaler::identity(Index features) { return {Vector::Zero(features), Vector::Ones(features)}; }

void Scaler::validate() const {
  check::finite("Scaler.mean", mean);
  check::size("Scaler.scale", scale, mean.size());
  check::positive("Scaler.scale", scale);
}

Matrix Scaler::transform(const MatrixView& X) const {
  check::shape("X", X, size(), X.cols());
  Matrix Z(X.rows(), X.cols());
  for (Index i = 0; i < X.cols(); ++i) {
    Z.col(i) = (X.col(i) - mean).cwiseQuotient(scale);
    if (Z.col(i).allFinite()) continue;
    for (Index j = 0; j < X.rows(); ++j)  // the difference of two huge numbers: at half the size
      if (!std::isfinite(X(j, i) - mean(j))) Z(j, i) = (0.5 * X(j, i) - 0.5 * mean(j)) / (0.5 * scale(j));
  }
  return Z;
}

Matrix Scaler::inverse(const MatrixView& Z) const {
  check::shape("Z", Z, size(), Z.cols());
  return (scale.asDiagonal() * Z).colwise() + mean;
}

Matrix Scaler::inverse_std(const MatrixView& S) const {
  check::shape("S", S, size(), S.cols());
  return scale.asDiagonal() * S;
}

}  // namespace mbll
