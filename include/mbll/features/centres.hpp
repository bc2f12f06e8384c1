#pragma once

#include <cstdint>
#include <vector>

#include "mbll/core.hpp"

/// Places for kernels.
namespace mbll {

/// The points of a regular grid between two corners, both included (one point in a direction: the middle),
/// the first input running fastest. q×Πcounts. Throws InvalidArgument if the sizes differ, lower > upper, a
/// count is below 1, or the grid has more than 10⁶ points.
[[nodiscard]] Matrix grid(const VectorView& lower /* q */, const VectorView& upper /* q */,
                          const std::vector<Index>& counts /* q */);

struct KMeansOptions {
  Index clusters = 1;
  std::uint64_t seed = 0;
  Matrix start;  ///< first centres, q×clusters; empty: greedy k-means++
  int max_steps = 300;
  int threads = 1;  ///< 0: all cores. The result is the same, bit for bit, for any number.

  /// Throws InvalidArgument for fewer than one cluster or step.
  void validate() const;
};

struct KMeans {
  Matrix centres;              ///< q×k; k < clusters only if there are fewer different samples than that
  std::vector<Index> nearest;  ///< N: which centre each sample belongs to
  double inertia = 0;          ///< Σ ‖x − its centre‖²
  int steps = 0;
  bool converged = false;  ///< no sample changed its centre in the last step; else the step limit was reached
};

/// Clusters by Lloyd's iteration. A cluster that loses all its samples starts
/// again at the sample that is worst served. Distances are Euclidean: inputs should have comparable scales.
/// Throws InvalidArgument if X is empty, not finite or has fewer samples than clusters, or start does not
/// fit. O(q k N) per step, O(q k N ln k) to start.
[[nodiscard]] KMeans k_means(const MatrixView& X /* q×N */, const KMeansOptions& options);

/// Median distance from a point to its nearest other: a natural width for kernels there. Zero when more than
/// half of the points coincide with others. Throws InvalidArgument for fewer than two points. O(q m²)
[[nodiscard]] double typical_spacing(const MatrixView& points /* q×m */);

}  // namespace mbll
