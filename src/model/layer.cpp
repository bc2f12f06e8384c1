#include "mbll/model/layer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mbll/error.hpp"

namespace mbll {

const char* name_of(PriorMean prior_mean) {
  switch (prior_mean) {
    case PriorMean::zero:
      return "zero";
    case PriorMean::ones:
      return "ones";
    case PriorMean::pretrained:
      return "pretrained";
  }
  return "";
}

const char* name_of(HyperpriorKind kind) {
  switch (kind) {
    case HyperpriorKind::none:
      return "none";
    case HyperpriorKind::identity:
      return "identity";
    case HyperpriorKind::scale_invariant:
      return "scale-invariant";
  }
  return "";
}

PriorMean prior_mean_from_name(const std::string& name) {
  for (const auto value : {PriorMean::zero, PriorMean::ones, PriorMean::pretrained})
    if (name == name_of(value)) return value;
  throw InvalidArgument(fmt::format("prior-mean: '{}', expected zero, ones or pretrained", name));
}

HyperpriorKind hyperprior_from_name(const std::string& name) {
  for (const auto value : {HyperpriorKind::none, HyperpriorKind::identity, HyperpriorKind::scale_invariant})
    if (name == name_of(value)) return value;
  throw InvalidArgument(fmt::format("hyperprior: '{}', expected none, identity or scale-invariant", name));
}

void LayerOptions::validate() const {
  check::require(!update_mean || hyperprior != HyperpriorKind::none, "hyperprior",
                 "is none, but estimating the prior mean needs one");
  check::positive("nu_excess", nu_excess);
  check::positive("tolerance", tolerance);
  check::require(max_steps >= 1, "max_steps", fmt::format("is {}, expected at least 1", max_steps));
}

LayerFit fit_layer(const Statistics& data, const Covariance& V, const std::optional<Matrix>& pretrained,
                   const LayerOptions& options) {
  options.validate();
  const Index d = data.features();
  const Index p = data.outputs();
  EmOptions em;
  em.column = options.column;
  em.blocks = options.blocks;
  em.row = options.row;
  em.update_mean = options.update_mean;
  em.update_noise = options.update_noise && options.covariance_known;
  em.tolerance = options.tolerance;
  em.max_steps = options.max_steps;
  em.accelerate = options.accelerate;
  em.progress = options.progress;
  if (options.hyperprior == HyperpriorKind::identity)
    em.hyperprior = Hyperprior::identity(d, options.hyperprior_nu);
  if (options.hyperprior == HyperpriorKind::scale_invariant)
    em.hyperprior = Hyperprior::scale_invariant(data, 1e-3, options.hyperprior_nu);

  Matrix M = Matrix::Zero(p, d);
  if (options.prior_mean == PriorMean::ones) M.setOnes();
  if (options.prior_mean == PriorMean::pretrained) {
    check::require(pretrained.has_value(), "prior-mean", "pretrained needs a network with a mean head");
    check::shape("pretrained mean", *pretrained, p, d);
    M = *pretrained;
  }
  const Covariance K = Covariance::identity(d);
  const auto finish = [](auto result) {
    return LayerFit{std::move(result.posterior), result.noise_scale, std::move(result.prior.M),
                    result.prior.K.diagonal(), std::move(static_cast<EmSummary&>(result))};
  };
  if (options.covariance_known) return finish(fit_em(NormalPrior{M, V, K}, data, em));
  return finish(fit_em(WishartPrior{M, K, V, 2.0 * static_cast<double>(p) + options.nu_excess}, data, em));
}

Statistics encode_statistics(const Encoder& encoder, const MatrixView& X, const MatrixView& Y,
                             const VectorView& given, const std::vector<Index>& samples,
                             StatisticsOptions options) {
  const auto source = [&](Index first, MatrixSpan Phi, MatrixSpan y, VectorSpan sigma) {
    const Index count = Phi.cols();
    Matrix x(X.rows(), count);
    Vector s(given.size() > 0 ? count : 0);
    for (Index i = 0; i < count; ++i) {
      const Index sample = samples[static_cast<std::size_t>(first + i)];
      x.col(i) = X.col(sample);
      y.col(i) = Y.col(sample);
      if (s.size() > 0) s(i) = given(sample);
    }
    encoder.encode(x, s, Phi, sigma);
  };
  return accumulate(encoder.features(), Y.rows(), static_cast<Index>(samples.size()), source, options);
}

Covariance output_covariance(const MatrixView& Y, const std::vector<Index>& samples) {
  const Index p = Y.rows();
  if (p == 1) return Covariance::identity(1);
  const auto N = static_cast<double>(samples.size());
  Vector mean = Vector::Zero(p);
  for (const Index i : samples) mean += Y.col(i) / N;
  Matrix S = Matrix::Zero(p, p);
  for (const Index i : samples) S += (Y.col(i) - mean) * (Y.col(i) - mean).transpose() / N;
  const double ridge = S.trace() > 0 ? 1e-6 * S.trace() / static_cast<double>(p) : 1.0;
  S.diagonal().array() += ridge;
  return Covariance::from_matrix(S, "output covariance");
}

}  // namespace mbll
