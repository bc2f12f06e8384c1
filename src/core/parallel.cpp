#include "mbll/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mbll {

int thread_count(int requested) {
  if (requested > 0) return requested;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(Index count, int threads, const std::function<void(Index)>& job) {
  const Index workers = std::min<Index>(std::max(threads, 1), count);
  if (workers <= 1) {
    for (Index i = 0; i < count; ++i) job(i);
    return;
  }
  std::atomic<Index> next{0};
  std::mutex failure_mutex;
  Index failed_job = count;
  std::exception_ptr failure;
  const auto work = [&] {
    for (Index i = next++; i < count; i = next++) {
      try {
        job(i);
      } catch (...) {
        const std::scoped_lock lock(failure_mutex);
        if (i < failed_job) {
          failed_job = i;
          failure = std::current_exception();
        }
        next = count;
      }
    }
  };
  std::vector<std::thread> helpers;
  for (Index t = 1; t < workers; ++t) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mbll
