#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>

/// The types that every stage shares. Matrices are sample-per-column: Phi is d×N, Y is p×N.
namespace mbll {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Read-only arguments: any double matrix or block with unit inner stride binds without a copy.
using MatrixView = Eigen::Ref<const Matrix>;
using VectorView = Eigen::Ref<const Vector>;
/// Arguments that are written to.
using MatrixSpan = Eigen::Ref<Matrix>;
using VectorSpan = Eigen::Ref<Vector>;

using Rng = std::mt19937_64;

/// An independent generator for part `stream` of a job that was given one seed (SplitMix64 of the pair).
[[nodiscard]] Rng make_rng(std::uint64_t seed, std::uint64_t stream = 0);

/// The library's version, "major.minor.patch".
[[nodiscard]] const char* version();

}  // namespace mbll
