#include "mbll/features/standardised.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mbll/error.hpp"

namespace mbll {

Standardised Standardised::fit(FeatureMap inner, const MatrixView& X) {
  check::require(X.cols() > 0, "X", "has no samples");
  constexpr Index block = 512;
  const Index d = inner.features();
  const Index N = X.cols();
  const Vector pivot = inner(X.leftCols(1));  // taken off first: what is constant becomes exactly 0
  Vector mean = Vector::Zero(d);              // of φ − pivot
  Vector scatter = Vector::Zero(d);           // Σ (φ − mean)²
  Vector largest = Vector::Zero(d);           // max |φ|
  Matrix Phi(d, std::min(block, N));
  for (Index first = 0; first < N; first += block) {
    const Index count = std::min(block, N - first);
    auto part = Phi.leftCols(count);
    inner.map(X.middleCols(first, count), part);
    largest = largest.cwiseMax(part.cwiseAbs().rowwise().maxCoeff());
    part.colwise() -= pivot;
    const Vector part_mean = part.rowwise().mean();
    part.colwise() -= part_mean;
    // Moments of two sets merge without cancellation (Chan, Golub & LeVeque 1979).
    const auto before = static_cast<double>(first);
    const auto added = static_cast<double>(count);
    const Vector difference = part_mean - mean;
    mean += difference * (added / (before + added));
    scatter += part.rowwise().squaredNorm() + difference.cwiseAbs2() * (before * added / (before + added));
  }
  Standardised result{std::move(inner), pivot + mean, (scatter / static_cast<double>(N)).cwiseSqrt()};
  for (Index k = 0; k < d; ++k) {
    // What rounding can leave of a feature that is constant in exact arithmetic, like sin² + cos².
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * largest(k);
    if (result.scale(k) > rounding) continue;
    result.shift(k) = 0;
    result.scale(k) = 1;
  }
  return result;
}

void Standardised::validate() const {
  check::size("shift", shift, inner.features());
  check::size("scale", scale, inner.features());
  check::finite("shift", shift);
  check::positive("scale", scale);
}

void Standardised::map(const MatrixView& X, MatrixSpan Phi) const {
  inner.map_unchecked(X, Phi);
  for (Index n = 0; n < Phi.cols(); ++n) Phi.col(n).array() = (Phi.col(n) - shift).array() / scale.array();
}

}  // namespace mbll
