#include "mbll/bayes/matrix_t.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/KroneckerProduct>
#include <utility>

#include "bayes/marginal.hpp"
#include "bayes/random_matrix.hpp"
#include "bayes/stacked_root.hpp"
#include "mbll/bayes/inverse_wishart.hpp"
#include "mbll/error.hpp"

namespace mbll {

MatrixT::MatrixT(Matrix M, Covariance row_scale, Covariance column_scale, double dof)
    : mean_(std::move(M)), rows_(std::move(row_scale)), columns_(std::move(column_scale)), dof_(dof) {
  check::finite("M", mean_);
  check::require(rows_.size() == mean_.rows(), "row_scale",
                 fmt::format("is {0}×{0}, expected {1}×{1}", rows_.size(), mean_.rows()));
  check::require(columns_.size() == mean_.cols(), "column_scale",
                 fmt::format("is {0}×{0}, expected {1}×{1}", columns_.size(), mean_.cols()));
  check::positive("dof", dof);
}

Matrix MatrixT::covariance() const {
  check::require(dof_ > 2, "dof", fmt::format("is {}, the covariance exists only for dof > 2", dof_));
  return Eigen::kroneckerProduct(columns_.matrix(), rows_.matrix()).eval() / (dof_ - 2);
}

double MatrixT::log_density(const MatrixView& X) const {
  check::shape("X", X, mean_.rows(), mean_.cols());
  check::finite("X", X);
  const auto p = static_cast<double>(mean_.rows());
  const auto N = static_cast<double>(mean_.cols());
  const Matrix white = columns_.whiten(rows_.whiten(X - mean_).transpose());  // N×p
  const double log_determinant = log_determinant_of_identity_plus(white);
  return marginal::log_multivariate_gamma_ratio(mean_.rows(), 0.5 * (dof_ + p - 1), 0.5 * N) -
         0.5 * p * N * std::log(std::numbers::pi) - 0.5 * N * rows_.log_determinant() -
         0.5 * p * columns_.log_determinant() - 0.5 * (dof_ + N + p - 1) * log_determinant;
}

Matrix MatrixT::sample(Rng& rng) const {
  const Covariance V = InverseWishart(rows_, dof_ + 2 * static_cast<double>(mean_.rows())).sample(rng);
  const Matrix white = standard_normal_matrix(mean_.rows(), mean_.cols(), rng);
  return mean_ + V.factor() * white * columns_.factor().transpose();
}

}  // namespace mbll
