#pragma once

#include <string>
#include <vector>

#include "mbll/core.hpp"

namespace mbll::report {

/// Which samples a figure shows when there are too many to draw.
struct Thinning {
  std::vector<Index> kept;  ///< increasing positions
  std::string note;         ///< says what is left out; empty when nothing is
};

/// Every k-th of `samples` positions so that at most `limit` are kept, the first and the last one, and on top
/// of them the `flagged` ones (most important first; of these, too, at most half of `limit`). Throws
/// InvalidArgument if limit < 2 or a flagged position does not exist. O(samples)
[[nodiscard]] Thinning thin(Index samples, Index limit, const std::vector<Index>& flagged);

/// How many samples of `outputs` outputs fit a page of 3 MB with all its figures: 4000, fewer for more than 4
/// outputs.
[[nodiscard]] Index sample_limit(Index outputs);

}  // namespace mbll::report
