#pragma once

#include <string>
#include <vector>

#include "mbll/report/sections.hpp"

namespace mbll::report {

/// Throws InvalidArgument unless names, axis, prediction and observations (p×L or empty) fit each other.
void check_samples(const Names& names, const SampleAxis& axis, const Prediction& prediction,
                   const MatrixView& observed);

/// The axis as figures show it.
[[nodiscard]] Axis shown_axis(const SampleAxis& axis);

/// Samples that thinning must not drop, most important first: observed beyond three standard deviations,
/// unusually large epistemic uncertainty, and the extremes of mean and observation of every output.
[[nodiscard]] std::vector<Index> flagged_samples(const Prediction& prediction, const MatrixView& observed);

/// 100000 → "100 000", with narrow no-break spaces.
[[nodiscard]] std::string grouped(Index value);

/// "2017-01-01 03:00" for seconds since 1970-01-01 00:00 UTC.
[[nodiscard]] std::string utc_text(double seconds);

/// Per sample, the largest over the outputs of epistemic sd / its median over the samples (L).
[[nodiscard]] Vector relative_epistemic(const MatrixView& epistemic);

}  // namespace mbll::report
