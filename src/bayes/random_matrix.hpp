#pragma once

#include <random>

#include "mbll/core.hpp"

namespace mbll {

/// Independent standard normal entries, drawn column by column.
inline Matrix standard_normal_matrix(Index rows, Index columns, Rng& rng) {
  std::normal_distribution<double> normal;
  Matrix result(rows, columns);
  for (double& value : result.reshaped()) value = normal(rng);
  return result;
}

}  // namespace mbll
