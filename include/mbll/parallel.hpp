#pragma once

#include <functional>

#include "mbll/core.hpp"

namespace mbll {

/// Number of threads to use: `requested` if positive, otherwise what the machine has.
[[nodiscard]] int thread_count(int requested);

/// Runs job(0) … job(count-1) on up to `threads` threads; the caller's thread works too. Which thread runs
/// which job is left open, so a job writes only to its own place. Rethrows the exception of the
/// lowest-numbered failed job after all have ended; jobs not yet started are then skipped.
void parallel_for(Index count, int threads, const std::function<void(Index)>& job);

}  // namespace mbll
