#pragma once

#include <cstdint>

#include "mbll/core.hpp"

namespace mbll {

/// Random Fourier features (Rahimi & Recht 2007): φ_j(x) = √(2/m) cos(ω_jᵀx + b_j). With ω_j ~ N(0,
/// diag(1/ℓ²)) and b_j uniform on [0, 2π), φ(x)ᵀφ(x') has the Gaussian kernel exp(−½ Σ_i (x_i − x'_i)²/ℓ_i²)
/// as its mean, and a variance of at most 1/m.
struct RandomFourier {
  Matrix frequencies;  ///< ω, q×m
  Vector phases;       ///< b, m

  /// Draws `features` frequencies and phases for the Gaussian kernel with one lengthscale per input.
  /// Throws InvalidArgument for fewer than one feature or lengthscales that are not positive.
  [[nodiscard]] static RandomFourier gaussian(Index features, const VectorView& lengthscales /* q */,
                                              std::uint64_t seed);
  /// The same with one lengthscale for all inputs.
  [[nodiscard]] static RandomFourier gaussian(Index features, Index inputs, double lengthscale,
                                              std::uint64_t seed);

  [[nodiscard]] Index inputs() const { return frequencies.rows(); }
  [[nodiscard]] Index features() const { return frequencies.cols(); }
  /// Throws InvalidArgument unless there is one phase per frequency and all are finite.
  void validate() const;
  /// One dgemm of q m N and m N cosines; no allocation.
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* m×N */) const;
};

}  // namespace mbll
