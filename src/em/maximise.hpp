#pragma once

#include <functional>
#include <vector>

#include "mbll/core.hpp"

namespace mbll::em {

struct Maximum {
  Vector x;
  double value;
  int iterations;
  bool converged;             ///< the gradient is below the tolerance or no step raises the value any more
  std::vector<double> trace;  ///< value by iteration, never falling
};

/// Local maximum of a smooth function of few variables by BFGS with backtracking. f returns the value and
/// writes the gradient. Variables are logarithms here: a step moves none of them by more than 3. One dense
/// optimiser of this size is less than what any of the packaged ones would add to the dependencies.
[[nodiscard]] Maximum maximise(const std::function<double(const Vector&, Vector&)>& f, const Vector& x,
                               double gradient_tolerance, int max_iterations);

}  // namespace mbll::em
