#include "mbll/bayes/conditional.hpp"

#include <fmt/format.h>

#include <Eigen/Core>

#include "bayes/stacked_root.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

void check_points(const WishartPrior& prior, const MatrixView& Phi, const VectorView& sigma) {
  check::shape("Phi", Phi, prior.M.cols(), Phi.cols());
  check::finite("Phi", Phi);
  check::size("sigma", sigma, Phi.cols());
  check::positive("sigma", sigma);
}

}  // namespace

InverseWishart noise_given_weights(const WishartPrior& prior, const Statistics& data, const MatrixView& A) {
  prior.validate();
  check::shape("A", A, prior.M.rows(), prior.M.cols());
  check::finite("A", A);
  const Index d = prior.M.cols();
  const Index p = prior.M.rows();
  check::require(data.features() == d && data.outputs() == p, "data",
                 fmt::format("has {} features and {} outputs, the prior has {} and {}", data.features(),
                             data.outputs(), d, p));
  Matrix root(2 * d + p, p);  // S_A = rootᵀ root
  root << data.cross_root() - data.feature_root() * A.transpose(), data.residual_root(),
      prior.K.whiten((A - prior.M).transpose());
  return {add_scatter(prior.Psi, root), prior.nu + static_cast<double>(data.samples() + d)};
}

SharedPredictive predict_given_weights(const WishartPrior& prior, const Statistics& data, const MatrixView& A,
                                       const MatrixView& Phi, const VectorView& sigma) {
  check_points(prior, Phi, sigma);
  const InverseWishart noise = noise_given_weights(prior, data, A);
  const double dof = noise.nu() - 2 * static_cast<double>(A.rows());
  return SharedPredictive::from_scale(A * Phi, sigma.cwiseAbs2(), Vector::Zero(Phi.cols()),
                                      noise.scale().scaled(1 / dof), dof);
}

MatrixT predict_joint_given_weights(const WishartPrior& prior, const Statistics& data, const MatrixView& A,
                                    const MatrixView& Phi, const VectorView& sigma) {
  check_points(prior, Phi, sigma);
  const InverseWishart noise = noise_given_weights(prior, data, A);
  return {A * Phi, noise.scale(), Covariance::from_factor(sigma.asDiagonal()),
          noise.nu() - 2 * static_cast<double>(A.rows())};
}

}  // namespace mbll
