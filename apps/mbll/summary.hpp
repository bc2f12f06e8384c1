#pragma once

#include <string>

#include "mbll/metrics/metrics.hpp"
#include "mbll/model/model.hpp"
#include "output.hpp"

/// What is said of a model, for people and as JSON.
namespace mbll::app {

/// What it predicts from what, how it was made, evidence, how EM ended, scores on samples it had not seen.
[[nodiscard]] std::string model_text(const Model& model);
[[nodiscard]] Json model_json(const Model& model);

/// Joint and per output.
[[nodiscard]] std::string evaluation_text(const Evaluation& evaluation,
                                          const std::vector<std::string>& names);
[[nodiscard]] Json evaluation_json(const Evaluation& evaluation, const std::vector<std::string>& names);

}  // namespace mbll::app
