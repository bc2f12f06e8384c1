#include "mbll/features/random_fourier.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mbll/error.hpp"

namespace mbll {

RandomFourier RandomFourier::gaussian(Index features, const VectorView& lengthscales, std::uint64_t seed) {
  check::require(features > 0, "features", fmt::format("is {}, expected at least 1", features));
  check::require(lengthscales.size() > 0, "lengthscales", "is empty");
  check::positive("lengthscales", lengthscales);
  Rng rng = make_rng(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> angle(0, 2 * std::numbers::pi);
  RandomFourier result{Matrix(lengthscales.size(), features), Vector(features)};
  for (Index j = 0; j < features; ++j) {
    for (Index i = 0; i < lengthscales.size(); ++i) result.frequencies(i, j) = normal(rng) / lengthscales(i);
    result.phases(j) = angle(rng);
  }
  return result;
}

RandomFourier RandomFourier::gaussian(Index features, Index inputs, double lengthscale, std::uint64_t seed) {
  check::require(inputs > 0, "inputs", fmt::format("is {}, expected at least 1", inputs));
  check::positive("lengthscale", lengthscale);
  return gaussian(features, Vector::Constant(inputs, lengthscale), seed);
}

void RandomFourier::validate() const {
  check::size("phases", phases, frequencies.cols());
  check::finite("frequencies", frequencies);
  check::finite("phases", phases);
}

void RandomFourier::map(const MatrixView& X, MatrixSpan Phi) const {
  const double amplitude = std::sqrt(2.0 / static_cast<double>(features()));
  Phi.noalias() = frequencies.transpose() * X;
  for (Index n = 0; n < Phi.cols(); ++n) Phi.col(n).array() = amplitude * (Phi.col(n) + phases).array().cos();
}

}  // namespace mbll
