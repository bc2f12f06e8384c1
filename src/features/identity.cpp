#include "mbll/features/identity.hpp"

namespace mbll {

void Identity::map(const MatrixView& X, MatrixSpan Phi) const { Phi = X; }

}  // namespace mbll
