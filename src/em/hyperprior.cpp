#include "mbll/em/hyperprior.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bayes/lapack.hpp"
#include "mbll/error.hpp"

namespace mbll {

Hyperprior Hyperprior::identity(Index features, double nu) {
  return {Matrix::Identity(features, features), nu};
}

Hyperprior Hyperprior::scale_invariant(const Statistics& data, double ridge, double nu) {
  check::positive("ridge", ridge);
  // From the singular values of the root, so that ridge is not lost beside a large Gram matrix.
  const lapack::Svd svd = lapack::svd(data.feature_root());
  const Vector root = (svd.s.array().square() + ridge).rsqrt();
  const Matrix B = svd.W * root.asDiagonal();
  return {B * B.transpose(), nu};
}

void Hyperprior::validate(Index features) const {
  check::shape("hyperprior.H", H, features, features);
  check::finite("hyperprior.H", H);
  check::require(nu >= 0 && std::isfinite(nu), "hyperprior.nu",
                 fmt::format("is {}, expected a finite number ≥ 0", nu));
  const double scale = H.cwiseAbs().maxCoeff();
  check::require((H - H.transpose()).cwiseAbs().maxCoeff() <= 1e-10 * scale, "hyperprior.H",
                 "is not symmetric");
  const double smallest = lapack::symmetric_eigen(H).values(0);
  check::require(smallest >= -1e-12 * scale, "hyperprior.H",
                 fmt::format("has the eigenvalue {}, expected none below 0", smallest));
}

}  // namespace mbll
