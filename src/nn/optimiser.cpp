#include "mbll/nn/optimiser.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "mbll/error.hpp"
#include "mbll/nn/kernels.hpp"

namespace mbll::nn {

std::string_view name_of(Method method) { return method == Method::adamw ? "adamw" : "sgd"; }

Method method_from_name(std::string_view name) {
  for (const Method known : {Method::adamw, Method::sgd})
    if (name == name_of(known)) return known;
  throw InvalidArgument(fmt::format("method: is '{}', expected one of adamw, sgd", name));
}

void OptimiserOptions::validate() const {
  check::positive("rate", rate);
  check::positive("epsilon", epsilon);
  const auto non_negative = [](const char* name, double value) {
    check::require(std::isfinite(value) && value >= 0, name,
                   fmt::format("is {}, expected a number ≥ 0", value));
  };
  const auto below_one = [](const char* name, double value) {
    check::require(value >= 0 && value < 1, name, fmt::format("is {}, expected a number ≥ 0 and < 1", value));
  };
  non_negative("weight_decay", weight_decay);
  non_negative("clip_norm", clip_norm);
  non_negative("clip_value", clip_value);
  below_one("beta1", beta1);
  below_one("beta2", beta2);
  below_one("momentum", momentum);
}

template <class Scalar>
Optimiser<Scalar>::Optimiser(const OptimiserOptions& options, Index size, Ranges decayed, Ranges plain)
    : options_(options),
      decayed_(std::move(decayed)),
      plain_(std::move(plain)),
      first_(Array::Zero(size)),
      second_(Array::Zero(options.method == Method::adamw ? size : 0)) {
  options.validate();
}

template <class Scalar>
void Optimiser<Scalar>::reset() {
  first_.setZero();
  second_.setZero();
  steps_ = 0;
}

template <class Scalar>
bool Optimiser<Scalar>::step(double rate, const Array& gradient, Array& values) {
  Scalar square = 0;
  for (const Ranges* ranges : {&decayed_, &plain_})
    for (const ParameterLayout::Range& range : *ranges)
      square += kernels::sum_of_squares(range.size, gradient.data() + range.begin);
  if (!std::isfinite(square)) return false;
  Scalar scale = 1;
  const Scalar norm = std::sqrt(square);
  if (options_.clip_norm > 0 && norm > options_.clip_norm)
    scale = static_cast<Scalar>(options_.clip_norm) / norm;
  ++steps_;
  advance(decayed_, options_.weight_decay, rate, scale, gradient, values);
  advance(plain_, 0, rate, scale, gradient, values);
  return true;
}

template <class Scalar>
void Optimiser<Scalar>::advance(const Ranges& ranges, double weight_decay, double rate, Scalar gradient_scale,
                                const Array& gradient, Array& values) {
  const bool adamw = options_.method == Method::adamw;
  const auto steps = static_cast<double>(steps_);
  const double first_correction = adamw ? 1 - std::pow(options_.beta1, steps) : 1;
  const double second_correction = 1 - std::pow(options_.beta2, steps);
  kernels::StepSizes<Scalar> sizes{};
  sizes.gradient_scale = gradient_scale;
  sizes.clip = options_.clip_value > 0 ? static_cast<Scalar>(options_.clip_value)
                                       : std::numeric_limits<Scalar>::infinity();
  sizes.keep = static_cast<Scalar>(1 - rate * weight_decay);
  sizes.rate = static_cast<Scalar>(rate / first_correction);
  sizes.beta1 = static_cast<Scalar>(adamw ? options_.beta1 : options_.momentum);
  sizes.beta2 = static_cast<Scalar>(options_.beta2);
  sizes.second_scale = static_cast<Scalar>(1 / std::sqrt(second_correction));
  sizes.epsilon = static_cast<Scalar>(options_.epsilon);
  for (const ParameterLayout::Range& range : ranges) {
    const Scalar* g = gradient.data() + range.begin;
    if (adamw)
      kernels::adamw(range.size, sizes, g, first_.data() + range.begin, second_.data() + range.begin,
                     values.data() + range.begin);
    else
      kernels::sgd(range.size, sizes, g, first_.data() + range.begin, values.data() + range.begin);
  }
}

template class Optimiser<float>;
template class Optimiser<double>;

}  // namespace mbll::nn
