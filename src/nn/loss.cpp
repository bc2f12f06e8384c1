#include "mbll/nn/loss.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mbll/error.hpp"
#include "nn/checks.hpp"
#include "nn/evaluator.hpp"

namespace mbll::nn {

void validate(const Loss& loss, const NetworkSpec& spec) {
  const Index p = spec.outputs;
  if (const auto* last_layer = std::get_if<LastLayerLoss>(&loss)) {
    const Index d = spec.hidden.back() + 1;
    check::shape("loss.mean", last_layer->mean, p, d);
    check::shape("loss.factor", last_layer->factor, d, last_layer->factor.cols());
    check::shape("loss.precision", last_layer->precision, p, p);
    check::finite("loss.mean", last_layer->mean);
    check::finite("loss.factor", last_layer->factor);
    check::finite("loss.precision", last_layer->precision);
    return;
  }
  const auto& density = std::get<DensityLoss>(loss);
  if (density.precision.size() > 0) {
    check::shape("loss.precision", density.precision, p, p);
    check::finite("loss.precision", density.precision);
  }
  check::require(density.beta >= 0 && density.beta <= 1, "loss.beta",
                 fmt::format("is {}, expected a number from 0 to 1", density.beta));
}

void check_data(const NetworkSpec& spec, const MatrixView& X, const MatrixView& Y) {
  check::shape("X", X, spec.inputs, X.cols());
  check::shape("Y", Y, spec.outputs, X.cols());
}

void check_samples(const char* name, std::span<const Index> samples, const MatrixView& X,
                   const MatrixView& Y) {
  check::require(!samples.empty(), name, "is empty, expected at least one sample");
  for (const Index sample : samples) {
    check::require(sample >= 0 && sample < X.cols(), name,
                   fmt::format("names sample {}, expected 0 to {}", sample, X.cols() - 1));
    for (const auto& [matrix, values] : {std::pair<const char*, const MatrixView&>("X", X), {"Y", Y}})
      if (!values.col(sample).allFinite())
        throw InvalidArgument(fmt::format("{}: sample {} ({}) is not finite", matrix, sample, name));
  }
}

template <class Scalar>
double mean_loss(const DensityNetwork<Scalar>& network, const MatrixView& X, const MatrixView& Y,
                 std::span<const Index> samples, const Loss& loss) {
  validate(loss, network.spec());
  check_data(network.spec(), X, Y);
  check_samples("samples", samples, X, Y);
  const Index capacity = std::min<Index>(256, static_cast<Index>(samples.size()));
  LossEvaluator<Scalar> evaluator(network.spec(), network.layout(), loss, capacity);
  return evaluator.mean_loss(network.padded_parameters().data(), X, Y, samples);
}

template <class Scalar>
LossGradient loss_gradient(const DensityNetwork<Scalar>& network, const MatrixView& X, const MatrixView& Y,
                           std::span<const Index> samples, const Loss& loss) {
  validate(loss, network.spec());
  check_data(network.spec(), X, Y);
  check_samples("samples", samples, X, Y);
  LossEvaluator<Scalar> evaluator(network.spec(), network.layout(), loss, static_cast<Index>(samples.size()));
  Array<Scalar> gradient = Array<Scalar>::Zero(network.layout().size());
  LossGradient result;
  result.value =
      evaluator.loss_and_gradient(network.padded_parameters().data(), X, Y, samples, gradient.data());
  DensityNetwork<Scalar> holder = network;  // brings the gradient into the order of the parameters
  holder.set_padded_parameters(gradient);
  result.gradient = holder.parameters();
  return result;
}

template double mean_loss<float>(const DensityNetwork<float>&, const MatrixView&, const MatrixView&,
                                 std::span<const Index>, const Loss&);
template double mean_loss<double>(const DensityNetwork<double>&, const MatrixView&, const MatrixView&,
                                  std::span<const Index>, const Loss&);
template LossGradient loss_gradient<float>(const DensityNetwork<float>&, const MatrixView&, const MatrixView&,
                                           std::span<const Index>, const Loss&);
template LossGradient loss_gradient<double>(const DensityNetwork<double>&, const MatrixView&,
                                            const MatrixView&, std::span<const Index>, const Loss&);

}  // namespace mbll::nn
