#include "mbll/model/encoder.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mbll/error.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/network.hpp"

namespace mbll {

void NoiseModel::validate() const {
  check::positive("noise.scale", scale);
  check::require(std::isfinite(exponent), "noise.exponent",
                 fmt::format("is {}, expected a finite number", exponent));
  if (kind != Kind::network) return;
  check::require(network != nullptr, "noise.network", "is missing");
}

Encoder::Encoder(FeatureMap features, NoiseModel noise)
    : features_(std::move(features)), noise_(std::move(noise)) {
  noise_.validate();
  if (noise_.kind != NoiseModel::Kind::network) return;
  check::require(noise_.network->spec().inputs == features_.inputs(), "noise.network",
                 fmt::format("takes {} inputs, the features take {}", noise_.network->spec().inputs,
                             features_.inputs()));
  const auto* with_constant = features_.target<WithConstant>();
  const auto* network = with_constant ? with_constant->inner.target<NetworkBackbone>() : nullptr;
  one_pass_ = network != nullptr && network->network == noise_.network;
}

void Encoder::encode(const MatrixView& X, const VectorView& given, MatrixSpan Phi, VectorSpan sigma) const {
  const Index N = X.cols();
  check::size("sigma", sigma, N);
  switch (noise_.kind) {
    case NoiseModel::Kind::constant:
      features_.map(X, Phi);
      sigma.setConstant(noise_.scale);
      return;
    case NoiseModel::Kind::given:
      check::size("given sigma", given, N);
      check::positive("given sigma", given);
      features_.map(X, Phi);
      sigma = noise_.scale * given.array().pow(noise_.exponent);
      return;
    case NoiseModel::Kind::network:
      break;
  }
  const nn::DensityNetwork<float>& network = *noise_.network;
  nn::NetworkWorkspace<float> workspace;
  Matrix mean(network.spec().outputs, N);
  Vector log_variance(N);
  if (one_pass_) {
    check::shape("Phi", Phi, features(), N);
    network.forward_into(X, Phi.topRows(features() - 1), mean, log_variance, workspace);
    Phi.bottomRows(1).setOnes();
  } else {
    features_.map(X, Phi);
    Matrix hidden(network.features(), N);
    network.forward_into(X, hidden, mean, log_variance, workspace);
  }
  // A variance head extrapolates linearly in ln σ²: keep σ an ordinary number far from the data.
  sigma = noise_.scale * (0.5 * noise_.exponent * log_variance.array().cwiseMax(-60.0).cwiseMin(60.0)).exp();
}

}  // namespace mbll
