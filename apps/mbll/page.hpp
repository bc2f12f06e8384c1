#pragma once

#include <string>

#include "mbll/model/model.hpp"
#include "mbll/report/figure.hpp"
#include "samples.hpp"

namespace mbll::app {

/// What the page says besides the model and its predictions.
struct PageOptions {
  std::string title;
  std::string data;       ///< "yacht.csv"
  bool training = false;  ///< the samples are those that the model was fitted to
};

/// The report page of a model on samples; without targets only what needs none.
[[nodiscard]] report::Report make_page(const Model& model, const Samples& samples,
                                       const PageOptions& options);

}  // namespace mbll::app
