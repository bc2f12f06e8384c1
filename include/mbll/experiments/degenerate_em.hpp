#pragma once

#include "mbll/experiments/experiment.hpp"

namespace mbll::experiments {

/// The unregularised joint scheme M = Â, K = C step by step against its closed form K_n⁻¹ = K_0⁻¹ + nΦD⁻¹Φᵀ,
/// and the scheme with a hyperprior beside it, on simulated data. Figure flawed_em.
[[nodiscard]] ExperimentResult run_degenerate_em(const ExperimentOptions& options);

}  // namespace mbll::experiments
