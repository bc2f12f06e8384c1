#pragma once

#include <functional>
#include <memory>

#include "arrays.hpp"
#include "mbll/bayes/predictive.hpp"

namespace mbll::python {

/// What every `predict` returns. `joint` is ln p(Y | data) over all points together; it holds on to the
/// Python objects that it reads (features, posterior), so it lives and dies under the GIL. Empty where the
/// model has none.
struct Prediction {
  std::shared_ptr<const Predictive> predictive;
  std::function<double(const MatrixView& Y /* p×L */)> joint;
  bool flat = false;  ///< one output, given as (N,): results are (L,) too
};

}  // namespace mbll::python
