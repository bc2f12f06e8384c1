#include "fit_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arguments.hpp"
#include "command.hpp"
#include "mbll/error.hpp"

namespace mbll::app {
namespace {

constexpr std::string_view column_prefix = "column:";

}  // namespace

FitArguments::FitArguments() : hidden(fmt::format("{}", fmt::join(numbers.hidden, ","))) {}

void FitArguments::add_to(CLI::App* command) {
  const auto words = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)->capture_default_str()->type_name("");
  };
  words("--features", features, "mlp, linear, poly, rbf or fourier");
  words("--hidden", hidden, "mlp: widths of the hidden layers; 0: chosen by the number of samples");
  words("--activation", activation, "mlp: leaky_relu, relu, softplus, tanh, silu or gelu");
  words("--noise", noise, "constant, network (σ(x) learned), or column:NAME (σ given)");
  words("--covariance", covariance, "between outputs: known (Gaussian) or unknown (Student t)");
  words("--prior-mean", prior_mean, "of the last layer: zero, ones or pretrained");
  words("--column-covariance", column_covariance, "of the last layer: isotropic, diagonal or full");
  words("--hyperprior", hyperprior, "on the column covariance: none, identity or scale-invariant");
  words("--train", train, "mlp: cross-fitted, two-phase or end-to-end");
  const auto number = [&](const char* name, auto& value, const char* help) {
    command->add_option(name, value, help)->capture_default_str()->type_name("");
  };
  number("--degree", numbers.degree, "poly: highest degree");
  number("--kernels", numbers.kernels, "rbf, fourier: number of features");
  number("--lengthscale", numbers.lengthscale, "rbf, fourier, in standardised inputs; 0: chosen by evidence");
  number("--members", numbers.members, "cross-fitted: number of networks");
  number("--epochs", numbers.epochs, "0: chosen by the number of samples");
  number("--batch", numbers.batch, "samples per training step; 0: chosen by their number");
  number("--rate", numbers.rate, "peak learning rate");
  number("--weight-decay", numbers.weight_decay, "of AdamW");
  number("--validation", numbers.validation, "two-phase, end-to-end: share of samples held out");
  number("--rounds", numbers.rounds, "end-to-end: largest number of EM rounds");
  number("--tolerance", numbers.layer.tolerance, "EM: relative change at which it has converged");
  number("--max-steps", numbers.layer.max_steps, "EM: largest number of steps");
  number("--seed", numbers.seed, "of everything random");
  number("--threads", numbers.threads, "0: all processors; does not change the result");
}

std::string FitArguments::noise_column() const {
  return noise.starts_with(column_prefix) ? noise.substr(column_prefix.size()) : "";
}

FitOptions FitArguments::to_fit_options() const {
  FitOptions options = numbers;
  try {
    options.features = feature_kind_from_name(features);
    options.hidden.clear();
    for (const long width : split_counts("hidden", hidden)) options.hidden.push_back(width);
    options.activation = nn::activation_from_name(activation);
    options.train = train_kind_from_name(train);
    options.layer.prior_mean = prior_mean_from_name(prior_mean);
    options.layer.column = column_structure_from_name(column_covariance);
    options.layer.hyperprior = hyperprior_from_name(hyperprior);
    // A prior mean from the network's own training needs the hyperprior, and is then estimated with K.
    options.layer.update_mean =
        options.layer.prior_mean == PriorMean::pretrained && options.layer.hyperprior != HyperpriorKind::none;
    options.validate();
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("--{}", error.what()));
  }
  if (options.layer.column == ColumnStructure::blocks)
    throw UsageError("--column-covariance: 'blocks', expected isotropic, diagonal or full");
  if (covariance != "known" && covariance != "unknown")
    throw UsageError(fmt::format("--covariance: '{}', expected known or unknown", covariance));
  options.layer.covariance_known = covariance == "known";
  if (!noise_column().empty())
    options.noise = NoiseKind::given;
  else if (noise == "constant")
    options.noise = NoiseKind::constant;
  else if (noise == "network")
    options.noise = NoiseKind::network;
  else
    throw UsageError(fmt::format("--noise: '{}', expected constant, network or column:NAME", noise));

  const bool network = options.features == FeatureKind::mlp;
  if (!network && options.layer.prior_mean == PriorMean::pretrained)
    throw UsageError("--prior-mean: pretrained needs --features mlp");
  if (network && options.train == TrainKind::cross_fitted) {
    if (options.layer.column == ColumnStructure::full)
      throw UsageError("--column-covariance: full needs --train two-phase or end-to-end");
    if (options.layer.prior_mean != PriorMean::zero || options.layer.hyperprior != HyperpriorKind::none)
      throw UsageError(
          "--prior-mean and --hyperprior need --train two-phase or end-to-end: cross-fitting "
          "takes zero and none");
  }
  return options;
}

}  // namespace mbll::app
