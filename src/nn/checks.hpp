#pragma once

#include <span>

#include "mbll/nn/spec.hpp"

/// Checks of data that training and losses share; each throws InvalidArgument.
namespace mbll::nn {

/// Shapes of X (q×N) and Y (p×N).
void check_data(const NetworkSpec& spec, const MatrixView& X, const MatrixView& Y);
/// At least one sample, all of them existing and finite in X and Y.
void check_samples(const char* name, std::span<const Index> samples, const MatrixView& X,
                   const MatrixView& Y);

}  // namespace mbll::nn
