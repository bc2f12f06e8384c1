#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "mbll/model/fit.hpp"

namespace mbll::app {

/// The options of a fit as they stand on the command line. Words become values in `to_fit_options`, whose
/// errors name the option.
struct FitArguments {
  FitOptions numbers;  ///< the options that are plain numbers, and the defaults of the others
  std::string features = name_of(numbers.features);
  std::string hidden;
  std::string activation = std::string(nn::name_of(numbers.activation));
  std::string noise = name_of(numbers.noise);
  std::string covariance = numbers.layer.covariance_known ? "known" : "unknown";
  std::string prior_mean = name_of(numbers.layer.prior_mean);
  std::string column_covariance = name_of(numbers.layer.column);
  std::string hyperprior = name_of(numbers.layer.hyperprior);
  std::string train = name_of(numbers.train);

  FitArguments();
  void add_to(CLI::App* command);
  /// The column of `--noise column:NAME`, or empty.
  [[nodiscard]] std::string noise_column() const;
  /// Throws UsageError.
  [[nodiscard]] FitOptions to_fit_options() const;
};

}  // namespace mbll::app
