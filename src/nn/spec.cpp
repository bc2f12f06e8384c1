#include "mbll/nn/spec.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mbll/error.hpp"

namespace mbll::nn {

std::string_view name_of(Initialisation initialisation) {
  return initialisation == Initialisation::he ? "he" : "xavier";
}

Initialisation initialisation_from_name(std::string_view name) {
  for (const Initialisation known : {Initialisation::he, Initialisation::xavier})
    if (name == name_of(known)) return known;
  throw InvalidArgument(fmt::format("initialisation: is '{}', expected one of he, xavier", name));
}

void NetworkSpec::validate() const {
  check::require(inputs > 0, "inputs", fmt::format("is {}, expected at least 1", inputs));
  check::require(outputs > 0, "outputs", fmt::format("is {}, expected at least 1", outputs));
  check::require(!hidden.empty(), "hidden", "is empty, expected at least one hidden layer");
  for (const Index width : hidden)
    check::require(width > 0, "hidden", fmt::format("has a width of {}, expected at least 1", width));
  check::require(std::isfinite(spectral_bound) && spectral_bound >= 0, "spectral_bound",
                 fmt::format("is {}, expected a number > 0, or 0 for no bound", spectral_bound));
}

}  // namespace mbll::nn
