#include "mbll/model/model.hpp"

#include <fmt/format.h>

#include <numeric>

#include "mbll/bayes/mixture.hpp"
#include "mbll/error.hpp"

namespace mbll {

Model::Model(Parts parts) : parts_(std::move(parts)) {
  const auto q = static_cast<Index>(parts_.input_names.size());
  const auto p = static_cast<Index>(parts_.output_names.size());
  parts_.inputs.validate();
  parts_.outputs.validate();
  check::require(parts_.inputs.size() == q, "inputs",
                 fmt::format("scaler has {} entries, expected {}", parts_.inputs.size(), q));
  check::require(parts_.outputs.size() == p, "outputs",
                 fmt::format("scaler has {} entries, expected {}", parts_.outputs.size(), p));
  check::require(!parts_.members.empty(), "members", "is empty, expected at least one");
  for (const Member& member : parts_.members) {
    check::require(member.encoder.inputs() == q, "members",
                   fmt::format("take {} inputs, expected {}", member.encoder.inputs(), q));
    check::require(member.posterior.outputs() == p, "members",
                   fmt::format("have {} outputs, expected {}", member.posterior.outputs(), p));
    check::require(member.posterior.features() == member.encoder.features(), "members",
                   fmt::format("have a posterior of {} features on {} features", member.posterior.features(),
                               member.encoder.features()));
    const bool given = member.encoder.noise().kind == NoiseModel::Kind::given;
    check::require(given == needs_given_noise(), "noise_column", "does not fit the members' noise");
  }
}

std::unique_ptr<Predictive> Model::predict(const MatrixView& X, const VectorView& given) const {
  check::shape("X", X, inputs(), X.cols());
  check::finite("X", X);
  const Matrix Z = parts_.inputs.transform(X);
  if (parts_.members.size() == 1)
    return parts_.members.front().predict(Z, given).rescaled(parts_.outputs.scale, parts_.outputs.mean);
  std::vector<std::shared_ptr<const Predictive>> predictives;
  for (const Member& member : parts_.members)
    predictives.push_back(member.predict(Z, given).rescaled(parts_.outputs.scale, parts_.outputs.mean));
  return std::make_unique<MixturePredictive>(std::move(predictives));
}

Model Model::update(const MatrixView& X, const MatrixView& Y, const VectorView& given) const {
  check::shape("X", X, inputs(), X.cols());
  check::shape("Y", Y, outputs(), X.cols());
  check::finite("X", X);
  check::finite("Y", Y);
  const Matrix Z = parts_.inputs.transform(X);
  const Matrix T = parts_.outputs.transform(Y);
  std::vector<Index> samples(static_cast<std::size_t>(X.cols()));
  std::iota(samples.begin(), samples.end(), Index{0});
  Parts next = parts_;
  next.report.samples += X.cols();
  for (Member& member : next.members)
    member.posterior = condition(member.posterior, encode_statistics(member.encoder, Z, T, given, samples));
  return Model(std::move(next));
}

Matrix Model::noise_covariance() const {
  Matrix V = Matrix::Zero(outputs(), outputs());
  for (const Member& member : parts_.members) {
    const NoiseModel& noise = member.encoder.noise();
    V += noise.scale * noise.scale * member.posterior.noise_covariance();
  }
  V /= static_cast<double>(parts_.members.size());
  return parts_.outputs.scale.asDiagonal() * V * parts_.outputs.scale.asDiagonal();
}

}  // namespace mbll
