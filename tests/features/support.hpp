#pragma once

#include <cstdint>
#include <string>

#include "mbll/core.hpp"
#include "mbll/error.hpp"
#include "support/message.hpp"
#include "support/random.hpp"

namespace mbll::test {

inline Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng = make_rng(seed);
  return random_matrix(rows, columns, rng);
}

}  // namespace mbll::test
