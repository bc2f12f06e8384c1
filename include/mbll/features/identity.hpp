#pragma once

#include "mbll/core.hpp"

namespace mbll {

/// φ(x) = x: the inputs are the features (linear regression; features computed elsewhere).
struct Identity {
  Index dimension = 1;  ///< q = d

  [[nodiscard]] Index inputs() const { return dimension; }
  [[nodiscard]] Index features() const { return dimension; }
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* q×N */) const;  ///< one copy
};

}  // namespace mbll
