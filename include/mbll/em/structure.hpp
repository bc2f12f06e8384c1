#pragma once

#include <string>
#include <vector>

#include "mbll/core.hpp"

namespace mbll {

/// What form the covariance K between features may take; its M-step is (E6) of docs/math.md.
enum class ColumnStructure {
  full,
  diagonal,   ///< one factor per feature (automatic relevance determination)
  isotropic,  ///< K = k I
  blocks,     ///< K = diag(k₁ I, k₂ I, …): one factor per block of features
};

/// What form the inverse Wishart scale Ψ may take; its M-step is (E9).
enum class RowStructure { full, diagonal, isotropic };

/// Names as on the command line and in files: "full", "diagonal", "isotropic", "blocks".
[[nodiscard]] const char* name_of(ColumnStructure structure);
[[nodiscard]] const char* name_of(RowStructure structure);
/// Throw InvalidArgument that lists the known names.
[[nodiscard]] ColumnStructure column_structure_from_name(const std::string& name);
[[nodiscard]] RowStructure row_structure_from_name(const std::string& name);

}  // namespace mbll
