#pragma once

#include "mbll/experiments/experiment.hpp"

/// Interpolation on four intervals with gaps between them (section 6.1–6.3 of docs/reproduction.md).
namespace mbll::experiments {

/// Gaussian kernels on a grid, M = 0, isotropic K and constant σ by EM; least squares beside it. Figures
/// em_fixedbasis, comp_lnev_k, decomp_epistemic.
[[nodiscard]] ExperimentResult run_interpolation_basis(const ExperimentOptions& options);

/// A 4×64 Softplus network with σ(x), trained end to end with the Bayesian layer. Figures em_dnn,
/// em_dnn_convergence, em_dnn2, em_dnn32, learned_basis.
[[nodiscard]] ExperimentResult run_interpolation_network(const ExperimentOptions& options);

/// The same network trained by its own likelihood and then frozen, mirrored features, scale-invariant
/// hyperprior. Figure fixed_pretrained_density_network.
[[nodiscard]] ExperimentResult run_interpolation_two_phase(const ExperimentOptions& options);

}  // namespace mbll::experiments
