#pragma once

#include "arrays.hpp"
#include "mbll/bayes/statistics.hpp"

namespace mbll::python {

/// Adds samples in place; `sigma` is an array, a number or None. Releases the GIL.
void add_samples(Statistics& statistics, const Samples& Phi, const Samples& Y, nb::handle sigma);

/// Statistics of samples as the caller gave them. `features`, `outputs`: what the prior asks for.
[[nodiscard]] Statistics statistics_of(Index features, Index outputs, nb::handle Phi, nb::handle Y,
                                       nb::handle sigma, int threads);

}  // namespace mbll::python
