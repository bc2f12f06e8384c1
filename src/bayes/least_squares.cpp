#include "mbll/bayes/least_squares.hpp"

#include <limits>

#include "bayes/lapack.hpp"
#include "mbll/error.hpp"

namespace mbll {

Vector LeastSquares::variance_factor(const MatrixView& Phi) const {
  check::shape("Phi", Phi, weights.cols(), Phi.cols());
  check::finite("Phi", Phi);
  return (covariance_root * Phi).colwise().squaredNorm().transpose();
}

LeastSquares least_squares(const Statistics& data) {
  const Index d = data.features();
  // Features in units of their own size, so that the rank does not depend on the units of the data.
  const Matrix R = data.feature_root();
  Vector scale = R.colwise().stableNorm().transpose();
  for (double& value : scale) value = value > 0 ? 1 / value : 0;
  const lapack::Svd svd = lapack::jacobi_svd(R * scale.asDiagonal());  // R diag(scale) = U diag(s) Wᵀ
  const double negligible = static_cast<double>(d) * std::numeric_limits<double>::epsilon() * svd.s(0);
  const Index rank = (svd.s.array() > negligible).count();
  const auto U = svd.U.leftCols(rank);
  const Matrix explained = U.transpose() * data.cross_root();
  const Matrix unexplained = data.cross_root() - U * explained;

  LeastSquares result;
  result.rank = rank;
  result.covariance_root =
      svd.s.head(rank).cwiseInverse().asDiagonal() * svd.W.leftCols(rank).transpose() * scale.asDiagonal();
  result.weights = explained.transpose() * result.covariance_root;
  result.residual_scatter = unexplained.transpose() * unexplained;
  result.residual_scatter.noalias() += data.residual_root().transpose() * data.residual_root();
  return result;
}

}  // namespace mbll
