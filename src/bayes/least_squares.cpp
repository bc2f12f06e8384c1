#include "mbll/bayes/least_squares.hpp"

#include <Eigen/QR>
#include <utility>

#include "mbll/error.hpp"

namespace mbll {

Vector LeastSquares::variance_factor(const MatrixView& Phi) const {
  check::shape("Phi", Phi, weights.cols(), Phi.cols());
  check::finite("Phi", Phi);
  return (covariance_root * Phi).colwise().squaredNorm().transpose();
}

LeastSquares least_squares(const Statistics& data) {
  const Index d = data.features();
  const Index p = data.outputs();
  // Features in units of their own size, so that the rank does not depend on the units of the data.
  const Matrix R = data.feature_root();
  Vector scale = R.colwise().stableNorm().transpose();
  for (double& value : scale) value = value > 0 ? 1 / value : 0;
  // R diag(scale) = Q [T 0; 0 0] Z
  const Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition(R * scale.asDiagonal());
  const Index rank = decomposition.rank();
  const Matrix rotated = decomposition.householderQ().transpose() * Matrix(data.cross_root());
  const Matrix T = decomposition.matrixT().topLeftCorner(rank, rank);
  // Eigen leaves the reflectors of Z unset where there are none to do.
  const Matrix Z = rank < d ? Matrix(decomposition.matrixZ().topRows(rank)) : Matrix::Identity(d, d);

  LeastSquares result;
  result.rank = rank;
  Matrix solution = rotated.topRows(rank);
  T.triangularView<Eigen::Upper>().solveInPlace(solution);
  const Matrix unpermuted = decomposition.colsPermutation() * Z.transpose();
  const Matrix back = scale.asDiagonal() * unpermuted;  // d×rank
  result.weights = (back * solution).transpose();
  result.covariance_root = back.transpose();
  T.transpose().triangularView<Eigen::Lower>().solveInPlace(result.covariance_root);
  Matrix residual(d - rank + p, p);
  residual << rotated.bottomRows(d - rank), data.residual_root();
  result.residual_scatter = residual.transpose() * residual;
  return result;
}

}  // namespace mbll
