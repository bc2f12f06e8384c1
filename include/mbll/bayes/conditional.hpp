#pragma once

#include "mbll/bayes/inverse_wishart.hpp"
#include "mbll/bayes/matrix_t.hpp"
#include "mbll/bayes/posterior.hpp"
#include "mbll/core.hpp"

/// What is left to learn when the last layer A is given but V is not, (T8) of docs/math.md: for A from
/// elsewhere (a trained network, a draw of a sampler). With empty statistics these are the distributions
/// before any data.
namespace mbll {

/// V | Y, A ~ IW(Ψ + S_A, ν + N + d), S_A = (Y − AΦ)D⁻¹(Y − AΦ)ᵀ + (A − M)K⁻¹(A − M)ᵀ. O(pd² + p²d)
[[nodiscard]] InverseWishart noise_given_weights(const WishartPrior& prior, const Statistics& data,
                                                 const MatrixView& A /* p×d */);
/// Y* | Y, A ~ MT(AΦ*, Ψ + S_A, D*, ν + N + d − 2p), point by point. Its epistemic factor is zero: A is
/// given.
[[nodiscard]] SharedPredictive predict_given_weights(const WishartPrior& prior, const Statistics& data,
                                                     const MatrixView& A /* p×d */,
                                                     const MatrixView& Phi /* d×L */,
                                                     const VectorView& sigma /* L */);
/// The same jointly over all points.
[[nodiscard]] MatrixT predict_joint_given_weights(const WishartPrior& prior, const Statistics& data,
                                                  const MatrixView& A /* p×d */,
                                                  const MatrixView& Phi /* d×L */,
                                                  const VectorView& sigma /* L */);

}  // namespace mbll
