#pragma once

#include "mbll/core.hpp"

namespace mbll {

/// Gaussian kernels: φ_j(x) = exp(−‖x − c_j‖² / (2 w_j²)). Centres come from `grid`, `k_means` or the caller.
struct GaussianKernels {
  Matrix centres;  ///< q×m
  Vector widths;   ///< m, > 0

  /// One width for all centres.
  [[nodiscard]] static GaussianKernels of_width(Matrix centres /* q×m */, double width);

  [[nodiscard]] Index inputs() const { return centres.rows(); }
  [[nodiscard]] Index features() const { return centres.cols(); }
  /// Throws InvalidArgument unless there is one positive width per centre and the centres are finite.
  void validate() const;
  /// O(q m N) and m N exponentials. Differences are taken before squaring: exact for close points far from
  /// the origin.
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* m×N */) const;
};

}  // namespace mbll
