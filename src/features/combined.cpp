#include "mbll/features/combined.hpp"

#include <fmt/format.h>

#include "mbll/error.hpp"

namespace mbll {

void Mirrored::map(const MatrixView& X, MatrixSpan Phi) const {
  const Matrix mirrored = -X;
  inner.map_unchecked(X, Phi.topRows(inner.features()));
  inner.map_unchecked(mirrored, Phi.bottomRows(inner.features()));
}

Index Concatenated::features() const {
  Index total = 0;
  for (const FeatureMap& part : parts) total += part.features();
  return total;
}

void Concatenated::validate() const {
  check::require(!parts.empty(), "parts", "is empty");
  for (const FeatureMap& part : parts)
    check::require(
        part.inputs() == inputs(), "parts",
        fmt::format("one part takes {} inputs, another {}; expected the same", inputs(), part.inputs()));
}

void Concatenated::map(const MatrixView& X, MatrixSpan Phi) const {
  Index row = 0;
  for (const FeatureMap& part : parts) {
    part.map_unchecked(X, Phi.middleRows(row, part.features()));
    row += part.features();
  }
}

void WithConstant::map(const MatrixView& X, MatrixSpan Phi) const {
  inner.map_unchecked(X, Phi.topRows(inner.features()));
  Phi.bottomRows<1>().setOnes();
}

}  // namespace mbll
