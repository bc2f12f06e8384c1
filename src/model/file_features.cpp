#include <fmt/format.h>

#include "mbll/features/combined.hpp"
#include "mbll/features/gaussian_kernels.hpp"
#include "mbll/features/identity.hpp"
#include "mbll/features/network.hpp"
#include "mbll/features/polynomial.hpp"
#include "mbll/features/random_fourier.hpp"
#include "mbll/features/standardised.hpp"
#include "model/file_parts.hpp"

namespace mbll::file {
namespace {

/// Deeper than any sensible nesting of maps, far from exhausting the stack.
constexpr int deepest_features = 32;

Polynomial::Exponents exponents_from(const Field& field) {
  const Matrix values = field.matrix();
  // Bounded before the conversion to int, which could not represent more.
  if (values.size() > 0 && !(values.minCoeff() >= 0 && values.maxCoeff() <= 1000))
    field.fail("holds an exponent outside of 0 … 1000");
  return values.cast<int>();
}

}  // namespace

Json features_to_json(const FeatureMap& features, NetworkList& networks) {
  const auto nested = [&](const FeatureMap& inner) { return features_to_json(inner, networks); };
  if (const auto* map = features.target<Identity>())
    return {{"type", "identity"}, {"dimension", map->dimension}};
  if (const auto* map = features.target<Polynomial>())
    return {{"type", "polynomial"}, {"exponents", matrix(map->exponents.cast<double>())}};
  if (const auto* map = features.target<GaussianKernels>())
    return {
        {"type", "gaussian_kernels"}, {"centres", matrix(map->centres)}, {"widths", numbers(map->widths)}};
  if (const auto* map = features.target<RandomFourier>())
    return {{"type", "random_fourier"},
            {"frequencies", matrix(map->frequencies)},
            {"phases", numbers(map->phases)}};
  if (const auto* map = features.target<NetworkBackbone>())
    return {{"type", "network"}, {"network", networks.number_of(map->network)}};
  if (const auto* map = features.target<Standardised>())
    return {{"type", "standardised"},
            {"inner", nested(map->inner)},
            {"shift", numbers(map->shift)},
            {"scale", numbers(map->scale)}};
  if (const auto* map = features.target<Mirrored>())
    return {{"type", "mirrored"}, {"inner", nested(map->inner)}};
  if (const auto* map = features.target<WithConstant>())
    return {{"type", "with_constant"}, {"inner", nested(map->inner)}};
  if (const auto* map = features.target<Concatenated>()) {
    Json parts = Json::array();
    for (const FeatureMap& part : map->parts) parts.push_back(nested(part));
    return {{"type", "concatenated"}, {"parts", std::move(parts)}};
  }
  throw InvalidArgument(
      "features: this feature map is not one of the library's and cannot be stored in a model file");
}

FeatureMap features_from(const Field& field, const NetworkList& networks, int depth) {
  if (depth >= deepest_features) field.fail("is nested too deeply");
  const auto inner = [&] { return features_from(field["inner"], networks, depth + 1); };
  const std::string type = field["type"].text();
  return field.checked([&]() -> FeatureMap {
    if (type == "identity") return Identity{field["dimension"].count()};
    if (type == "polynomial") return Polynomial{exponents_from(field["exponents"])};
    if (type == "gaussian_kernels")
      return GaussianKernels{field["centres"].matrix(), field["widths"].numbers()};
    if (type == "random_fourier")
      return RandomFourier{field["frequencies"].matrix(), field["phases"].numbers()};
    if (type == "network") return NetworkBackbone{networks.at(field["network"])};
    if (type == "standardised")
      return Standardised{inner(), field["shift"].numbers(), field["scale"].numbers()};
    if (type == "mirrored") return Mirrored{inner()};
    if (type == "with_constant") return WithConstant{inner()};
    if (type == "concatenated") {
      Concatenated all;
      for (const Field& part : field["parts"].items())
        all.parts.push_back(features_from(part, networks, depth + 1));
      return all;
    }
    field["type"].fail(fmt::format("is '{}', which this version does not know", type));
  });
}

}  // namespace mbll::file
