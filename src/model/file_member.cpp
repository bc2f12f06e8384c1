#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/file_parts.hpp"

namespace mbll::file {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Json network_to_json(const nn::DensityNetwork<float>& network) {
  const nn::NetworkSpec& spec = network.spec();
  return {{"inputs", spec.inputs},
          {"hidden", spec.hidden},
          {"outputs", spec.outputs},
          {"activation", nn::name_of(spec.activation)},
          {"variance_head", spec.variance_head},
          {"spectral_bound", number(spec.spectral_bound)},
          {"initialisation", nn::name_of(spec.initialisation)},
          {"parameters", numbers(network.parameters())}};
}

/// How many parameters the sizes ask for, in floating point, where forged sizes cannot overflow.
double parameters_of(const nn::NetworkSpec& spec) {
  double count = 1;  // ln σ² bias or constant
  auto width = static_cast<double>(spec.inputs);
  for (const Index hidden : spec.hidden) {
    count += (width + 1) * static_cast<double>(hidden);
    width = static_cast<double>(hidden);
  }
  return count + (width + 1) * static_cast<double>(spec.outputs) + (spec.variance_head ? width : 0);
}

SharedNetwork network_from(const Field& field) {
  nn::NetworkSpec spec;
  spec.inputs = field["inputs"].count();
  spec.hidden = field["hidden"].counts();
  spec.outputs = field["outputs"].count();
  field["activation"].checked(
      [&] { return spec.activation = nn::activation_from_name(field["activation"].text()); });
  spec.variance_head = field["variance_head"].flag();
  spec.spectral_bound = field["spectral_bound"].number();
  field["initialisation"].checked(
      [&] { return spec.initialisation = nn::initialisation_from_name(field["initialisation"].text()); });
  const Vector parameters = field["parameters"].numbers();
  field.checked([&] { spec.validate(); });
  if (parameters_of(spec) != static_cast<double>(parameters.size()))
    field["parameters"].fail(
        fmt::format("has {} entries, the layers need {:.0f}", parameters.size(), parameters_of(spec)));
  return field.checked([&] {
    return std::make_shared<const nn::DensityNetwork<float>>(
        nn::DensityNetwork<float>::from_parameters(spec, parameters));
  });
}

const char* name_of(NoiseModel::Kind kind) {
  switch (kind) {
    case NoiseModel::Kind::constant:
      return "constant";
    case NoiseModel::Kind::network:
      return "network";
    case NoiseModel::Kind::given:
      return "given";
  }
  return "";
}

NoiseModel noise_from(const Field& field, const NetworkList& networks) {
  NoiseModel noise;
  const std::string kind = field["type"].text();
  if (kind == "network")
    noise.kind = NoiseModel::Kind::network;
  else if (kind == "given")
    noise.kind = NoiseModel::Kind::given;
  else if (kind != "constant")
    field["type"].fail(fmt::format("is '{}', expected constant, network or given", kind));
  noise.scale = field["scale"].number();
  noise.exponent = field["exponent"].number();
  if (noise.kind == NoiseModel::Kind::network) noise.network = networks.at(field["network"]);
  return noise;
}

Json posterior_to_json(const Posterior& posterior) {
  return {{"mean", matrix(posterior.mean())},
          {"column_covariance", covariance(posterior.column_covariance())},
          {"row_scale", covariance(posterior.row_scale())},
          {"nu", posterior.noise_known() ? Json() : number(posterior.nu())},
          {"residual_scatter", matrix(posterior.residual_scatter())},
          {"log_evidence", number(posterior.log_evidence())},
          {"samples", posterior.samples()}};
}

Posterior posterior_from(const Field& field) {
  Matrix mean = field["mean"].matrix();
  Covariance C = field["column_covariance"].covariance();
  Covariance row_scale = field["row_scale"].covariance();
  const double nu = field.has("nu") ? field["nu"].number() : infinity;
  Matrix scatter = field["residual_scatter"].matrix();
  const double log_evidence = field["log_evidence"].number();
  const Index samples = field["samples"].count();
  return field.checked([&] {
    return Posterior::from_parts(std::move(mean), std::move(C), std::move(row_scale), nu, std::move(scatter),
                                 log_evidence, samples);
  });
}

}  // namespace

NetworkList::NetworkList(const Field& list) {
  for (const Field& network : list.items()) networks_.push_back(network_from(network));
}

Index NetworkList::number_of(const SharedNetwork& network) {
  const auto found = std::find(networks_.begin(), networks_.end(), network);
  if (found != networks_.end()) return found - networks_.begin();
  networks_.push_back(network);
  return std::ssize(networks_) - 1;
}

SharedNetwork NetworkList::at(const Field& number) const {
  const Index index = number.count();
  if (index >= std::ssize(networks_))
    number.fail(fmt::format("is {}, but the member has {} networks", index, networks_.size()));
  return networks_[static_cast<std::size_t>(index)];
}

Json NetworkList::to_json() const {
  Json list = Json::array();
  for (const SharedNetwork& network : networks_) list.push_back(network_to_json(*network));
  return list;
}

Json member_to_json(const Member& member) {
  NetworkList networks;
  Json features = features_to_json(member.encoder.feature_map(), networks);
  const NoiseModel& model = member.encoder.noise();
  Json noise = {
      {"type", name_of(model.kind)}, {"scale", number(model.scale)}, {"exponent", number(model.exponent)}};
  if (model.kind == NoiseModel::Kind::network) noise["network"] = networks.number_of(model.network);
  return {{"networks", networks.to_json()},
          {"features", std::move(features)},
          {"noise", std::move(noise)},
          {"posterior", posterior_to_json(member.posterior)}};
}

Member member_from(const Field& field) {
  const NetworkList networks(field["networks"]);
  FeatureMap features = features_from(field["features"], networks);
  NoiseModel noise = noise_from(field["noise"], networks);
  Posterior posterior = posterior_from(field["posterior"]);
  return field["noise"].checked([&] {
    return Member{Encoder(std::move(features), std::move(noise)), std::move(posterior)};
  });
}

}  // namespace mbll::file
