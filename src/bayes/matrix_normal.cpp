#include "mbll/bayes/matrix_normal.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/KroneckerProduct>
#include <utility>

#include "bayes/random_matrix.hpp"
#include "mbll/error.hpp"

namespace mbll {

MatrixNormal::MatrixNormal(Matrix M, Covariance V, Covariance K)
    : mean_(std::move(M)), rows_(std::move(V)), columns_(std::move(K)) {
  check::finite("M", mean_);
  check::require(rows_.size() == mean_.rows(), "V",
                 fmt::format("is {0}×{0}, expected {1}×{1}", rows_.size(), mean_.rows()));
  check::require(columns_.size() == mean_.cols(), "K",
                 fmt::format("is {0}×{0}, expected {1}×{1}", columns_.size(), mean_.cols()));
}

Matrix MatrixNormal::covariance() const { return Eigen::kroneckerProduct(columns_.matrix(), rows_.matrix()); }

double MatrixNormal::log_density(const MatrixView& X) const {
  check::shape("X", X, mean_.rows(), mean_.cols());
  check::finite("X", X);
  const auto p = static_cast<double>(mean_.rows());
  const auto n = static_cast<double>(mean_.cols());
  const Matrix white = columns_.whiten(rows_.whiten(X - mean_).transpose());
  return -0.5 * (n * p * std::log(2 * std::numbers::pi) + n * rows_.log_determinant() +
                 p * columns_.log_determinant() + white.squaredNorm());
}

Matrix MatrixNormal::sample(Rng& rng) const {
  const Matrix white = standard_normal_matrix(mean_.rows(), mean_.cols(), rng);
  return mean_ + rows_.factor() * white * columns_.factor().transpose();
}

}  // namespace mbll
