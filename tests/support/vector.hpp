#pragma once

#include <initializer_list>

#include "mbll/core.hpp"

namespace mbll::test {

inline Vector vector(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

}  // namespace mbll::test
