#include "mbll/features/gaussian_kernels.hpp"

#include <cmath>
#include <utility>

#include "mbll/error.hpp"

namespace mbll {

GaussianKernels GaussianKernels::of_width(Matrix centres, double width) {
  check::positive("width", width);
  const Index m = centres.cols();
  return {std::move(centres), Vector::Constant(m, width)};
}

void GaussianKernels::validate() const {
  check::finite("centres", centres);
  check::size("widths", widths, centres.cols());
  check::positive("widths", widths);
  check::require(widths.cwiseInverse().allFinite(), "widths", "too small to be inverted");
}

void GaussianKernels::map(const MatrixView& X, MatrixSpan Phi) const {
  // Transposed, the loop over centres is contiguous.
  const Matrix positions = centres.transpose();                           // m×q
  const Eigen::ArrayXd rate = std::sqrt(0.5) * widths.array().inverse();  // m
  // Aligned scratch: vectorised and scalar exp differ in the last bit, and φ(x) must not depend on where it
  // is written.
  Eigen::ArrayXd exponent(features());
  for (Index n = 0; n < X.cols(); ++n) {
    exponent.setZero();
    for (Index i = 0; i < X.rows(); ++i) exponent -= ((positions.col(i).array() - X(i, n)) * rate).square();
    exponent = exponent.exp();
    Phi.col(n) = exponent;
  }
}

}  // namespace mbll
