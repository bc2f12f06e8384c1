#pragma once

#include "mbll/experiments/experiment.hpp"

namespace mbll::experiments {

/// Hourly forecasts of six pollutants by a (P, Q)-VARX network with a Bayesian layer, V unknown: orders by
/// model evidence of linear features; one-step scores against persistence and a linear VARX; epistemic
/// uncertainty in two windows of the test period, for 1000 training samples and for all. Figures beijing,
/// beijing_3. `options.stations` are names of the catalogue without "beijing-". Throws DataError if the data
/// is not there, InvalidArgument for an unknown station.
[[nodiscard]] ExperimentResult run_beijing(const ExperimentOptions& options);

}  // namespace mbll::experiments
