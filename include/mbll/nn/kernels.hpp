#pragma once

#include "mbll/core.hpp"
#include "mbll/nn/activation.hpp"

/// The inner loops of small networks, for float and double. Each is compiled for several instruction sets and
/// the processor's best one is chosen when the program starts, so a portable build runs as fast as a native
/// one. Unchecked: arguments are what the network's own code hands in.
namespace mbll::nn::kernels {

/// Values per vector register. Rows of weights and activations are padded to a multiple of it, with zeros.
template <class Scalar>
inline constexpr Index lanes = 32 / sizeof(Scalar);
template <class Scalar>
[[nodiscard]] constexpr Index padded(Index rows) {
  return (rows + lanes<Scalar> - 1) / lanes<Scalar> * lanes<Scalar>;
}

/// What multiplies from the left in a product: A (m×k), stored as it is or as its transpose, column major.
template <class Scalar>
struct LeftFactor {
  const Scalar* values;
  Index stride;
  bool transposed = false;  ///< values hold Aᵀ (k×m)
};
/// What multiplies from the right: entry (t, j) of B (k×n) is values[t·row_step + j·column_step].
template <class Scalar>
struct RightFactor {
  const Scalar* values;
  Index row_step, column_step;
};

/// Entries of scratch space that `multiply` needs for an inner size k.
template <class Scalar>
[[nodiscard]] constexpr Index scratch_size(Index k) {
  return 2 * lanes<Scalar> * k;
}

/// C = A B, m×k times k×n. Writes whole columns of padded(m) entries, so C's stride is at least that, and so
/// is A's when it is not transposed. Own code because OpenBLAS's overhead is large at these sizes: 50×50 by
/// 50×32 takes 2.0 µs against 2.9, 128×128 by 128×32 10.7 against 15.1, 128×128 by 128×256 86 against 103
/// (bench/nn_bench.cpp, AVX2 at 3.2 GHz, whose peak is 81 µs for the last).
void multiply(Index m, Index n, Index k, LeftFactor<float> A, RightFactor<float> B, float* C, Index stride,
              float* scratch);
void multiply(Index m, Index n, Index k, LeftFactor<double> A, RightFactor<double> B, double* C, Index stride,
              double* scratch);

/// z = f(z + bias) for every column of z (rows×n, rows a multiple of `lanes`), and f'(z + bias) into
/// `derivative` unless that is null.
void activate(Activation f, Index rows, Index n, const float* bias, float* z, float* derivative);
void activate(Activation f, Index rows, Index n, const double* bias, double* z, double* derivative);

/// gradient = gradient ∘ derivative (rows×n), bias_gradient = its sum over columns.
void activate_backward(Index rows, Index n, const float* derivative, float* gradient, float* bias_gradient);
void activate_backward(Index rows, Index n, const double* derivative, double* gradient,
                       double* bias_gradient);

/// x = eˣ in place; below −87 (float) or −708 (double) it stays at the smallest normal number, above 88 or
/// 709 at the largest.
void exponential(Index n, float* x);
void exponential(Index n, double* x);

/// Infinite or NaN exactly when an entry is, or when the sum overflows.
[[nodiscard]] float sum_of_squares(Index n, const float* x);
[[nodiscard]] double sum_of_squares(Index n, const double* x);

/// One step of an optimiser on n parameters; the gradient is scaled by `gradient_scale` and then clipped at
/// ±`clip`.
template <class Scalar>
struct StepSizes {
  Scalar gradient_scale;  ///< from clipping by norm
  Scalar clip;            ///< infinity: no clipping by value
  Scalar keep;            ///< 1 − rate·weight_decay
  Scalar rate;            ///< AdamW: rate/(1 − β₁ᵗ)
  Scalar beta1, beta2;    ///< SGD: beta1 is the momentum
  Scalar second_scale;    ///< 1/√(1 − β₂ᵗ)
  Scalar epsilon;
};
void adamw(Index n, const StepSizes<float>& s, const float* gradient, float* first, float* second,
           float* values);
void adamw(Index n, const StepSizes<double>& s, const double* gradient, double* first, double* second,
           double* values);
void sgd(Index n, const StepSizes<float>& s, const float* gradient, float* velocity, float* values);
void sgd(Index n, const StepSizes<double>& s, const double* gradient, double* velocity, double* values);

}  // namespace mbll::nn::kernels
