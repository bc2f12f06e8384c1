#include "mbll/features/centres.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mbll/error.hpp"
#include "mbll/parallel.hpp"

namespace mbll {
namespace {

Vector squared_distances(const Matrix& X, const VectorView& point) {
  return (X.colwise() - point).colwise().squaredNorm().transpose();
}

/// Index drawn with probability proportional to the weights, whose sum is positive.
Index draw(const Vector& weights, Rng& rng) {
  double left = std::uniform_real_distribution<double>(0, weights.sum())(rng);
  Index chosen = 0;
  for (Index i = 0; i < weights.size() && left >= 0; ++i) {
    if (weights(i) > 0) chosen = i;
    left -= weights(i);
  }
  return chosen;
}

/// Greedy k-means++ (Arthur & Vassilvitskii 2007): each next centre is the best of a few samples that are
/// drawn by their squared distance to the centres so far. Fewer than k when no different sample is left.
Matrix first_centres(const Matrix& X, Index k, Rng& rng) {
  const int trials = 2 + static_cast<int>(std::log(static_cast<double>(k)));
  std::vector<Index> chosen{std::uniform_int_distribution<Index>(0, X.cols() - 1)(rng)};
  Vector distance = squared_distances(X, X.col(chosen.front()));
  while (std::ssize(chosen) < k && distance.maxCoeff() > 0) {
    Index best = 0;
    Vector best_distance;
    for (int trial = 0; trial < trials; ++trial) {
      const Index candidate = draw(distance, rng);
      Vector reduced = distance.cwiseMin(squared_distances(X, X.col(candidate)));
      if (trial == 0 || reduced.sum() < best_distance.sum()) {
        best = candidate;
        best_distance = std::move(reduced);
      }
    }
    chosen.push_back(best);
    distance = std::move(best_distance);
  }
  Matrix centres(X.rows(), std::ssize(chosen));
  for (Index j = 0; j < centres.cols(); ++j) centres.col(j) = X.col(chosen[j]);
  return centres;
}

struct Assignment {
  std::vector<Index> nearest;  // N
  Vector distance;             // N, squared
};

Assignment assign(const Matrix& X, const Matrix& centres, int threads) {
  constexpr Index block = 512;
  const Index N = X.cols();
  Assignment result{std::vector<Index>(N), Vector(N)};
  const Vector half_norms = 0.5 * centres.colwise().squaredNorm().transpose();
  parallel_for((N + block - 1) / block, threads, [&](Index b) {
    const Index first = b * block;
    const Index count = std::min(block, N - first);
    Matrix score = centres.transpose() * X.middleCols(first, count);  // largest cᵀx − ‖c‖²/2: nearest
    score.colwise() -= half_norms;
    for (Index n = 0; n < count; ++n) {
      Index& nearest = result.nearest[first + n];
      score.col(n).maxCoeff(&nearest);
      result.distance(first + n) = (X.col(first + n) - centres.col(nearest)).squaredNorm();
    }
  });
  return result;
}

std::vector<Index> cluster_sizes(const Assignment& assignment, Index k) {
  std::vector<Index> sizes(k, 0);
  for (const Index j : assignment.nearest) ++sizes[j];
  return sizes;
}

/// Gives every empty cluster the worst served sample of the clusters that can spare one.
void refill_empty_clusters(Assignment& assignment, Index k) {
  std::vector<Index> sizes = cluster_sizes(assignment, k);
  for (Index empty = 0; empty < k; ++empty) {
    if (sizes[empty] > 0) continue;
    Index worst = -1;
    for (Index n = 0; n < assignment.distance.size(); ++n)
      if (sizes[assignment.nearest[n]] > 1 &&
          (worst < 0 || assignment.distance(n) > assignment.distance(worst)))
        worst = n;
    --sizes[assignment.nearest[worst]];  // exists: there are at least as many samples as clusters
    ++sizes[empty];
    assignment.nearest[worst] = empty;
    assignment.distance(worst) = 0;
  }
}

Matrix cluster_means(const Matrix& X, const Assignment& assignment, Index k) {
  Matrix means = Matrix::Zero(X.rows(), k);
  for (Index n = 0; n < X.cols(); ++n) means.col(assignment.nearest[n]) += X.col(n);
  const std::vector<Index> sizes = cluster_sizes(assignment, k);
  for (Index j = 0; j < k; ++j) means.col(j) /= static_cast<double>(sizes[j]);
  return means;
}

}  // namespace

Matrix grid(const VectorView& lower, const VectorView& upper, const std::vector<Index>& counts) {
  const Index q = lower.size();
  check::require(q > 0, "lower", "is empty");
  check::size("upper", upper, q);
  check::require(std::ssize(counts) == q, "counts",
                 fmt::format("has {} entries, expected {}", counts.size(), q));
  check::finite("lower", lower);
  check::finite("upper", upper);
  check::require((lower.array() <= upper.array()).all(), "lower", "is above upper");
  Index total = 1;
  for (const Index count : counts) {
    check::require(count > 0, "counts", fmt::format("{} found, expected at least 1", count));
    check::require(count <= 1'000'000 / total, "counts", "the grid has more than 10^6 points");
    total *= count;
  }
  Matrix points(q, total);
  for (Index k = 0; k < total; ++k) {
    Index rest = k;
    for (Index i = 0; i < q; ++i) {
      const Index count = counts[i];
      const Index step = rest % count;
      rest /= count;
      const double t = count == 1 ? 0.5 : static_cast<double>(step) / static_cast<double>(count - 1);
      points(i, k) = std::lerp(lower(i), upper(i), t);
    }
  }
  return points;
}

void KMeansOptions::validate() const {
  check::require(clusters > 0, "clusters", fmt::format("is {}, expected at least 1", clusters));
  check::require(max_steps > 0, "max_steps", fmt::format("is {}, expected at least 1", max_steps));
}

KMeans k_means(const MatrixView& X, const KMeansOptions& options) {
  options.validate();
  check::require(X.size() > 0, "X", "is empty");
  check::finite("X", X);
  check::require(X.cols() >= options.clusters, "clusters",
                 fmt::format("is {}, more than the {} samples", options.clusters, X.cols()));
  if (options.start.size() > 0) {
    check::shape("start", options.start, X.rows(), options.clusters);
    check::finite("start", options.start);
  }
  // Centred and of size 1, so that squares neither overflow nor cancel.
  const double largest = X.cwiseAbs().maxCoeff();
  const double scale = largest > 0 ? largest : 1;
  Matrix Z = X / scale;
  const Vector middle = Z.rowwise().mean();
  Z.colwise() -= middle;

  Rng rng = make_rng(options.seed);
  Matrix centres = options.start.size() == 0 ? first_centres(Z, options.clusters, rng)
                                             : Matrix((options.start / scale).colwise() - middle);
  const Index k = centres.cols();
  const int threads = thread_count(options.threads);
  KMeans result;
  Assignment assignment;
  while (!result.converged && result.steps < options.max_steps) {
    Assignment next = assign(Z, centres, threads);
    refill_empty_clusters(next, k);
    result.converged = next.nearest == assignment.nearest;
    assignment = std::move(next);
    centres = cluster_means(Z, assignment, k);
    ++result.steps;
  }
  for (Index n = 0; n < Z.cols(); ++n)
    result.inertia += (Z.col(n) - centres.col(assignment.nearest[n])).squaredNorm();
  result.inertia *= scale * scale;
  result.centres = scale * (centres.colwise() + middle);
  result.nearest = std::move(assignment.nearest);
  return result;
}

double typical_spacing(const MatrixView& points) {
  const Index m = points.cols();
  check::require(m > 1, "points", fmt::format("has {} columns, expected at least 2", m));
  check::finite("points", points);
  std::vector<double> nearest(m, std::numeric_limits<double>::infinity());
  for (Index j = 1; j < m; ++j)
    for (Index i = 0; i < j; ++i) {
      const double distance = (points.col(i) - points.col(j)).stableNorm();
      nearest[i] = std::min(nearest[i], distance);
      nearest[j] = std::min(nearest[j], distance);
    }
  const auto middle = nearest.begin() + m / 2;
  std::nth_element(nearest.begin(), middle, nearest.end());
  return *middle;
}

}  // namespace mbll
