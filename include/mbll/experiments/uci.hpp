#pragma once

#include "mbll/experiments/experiment.hpp"

namespace mbll::experiments {

/// The paper's UCI regressions: its two rows ("scalar", "hyper") at its protocol and the default of `mbll
/// fit`. Data sets: boston, concrete, energy (both outputs), energy-heating, power, wine, wine-unique (the
/// same fits, judged on the test samples that no training sample repeats), yacht; with the suffix "-fixed" on
/// the fixed 90/10 splits instead of random 72/18/10 ones. Seeds run in parallel.
[[nodiscard]] ExperimentResult run_uci(const ExperimentOptions& options);

}  // namespace mbll::experiments
