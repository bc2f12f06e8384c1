#include "mbll/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace mbll {
namespace {

TEST(ParallelFor, RunsEveryJobOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> runs(37);
    parallel_for(37, threads, [&](Index i) { ++runs[i]; });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, NoJobs) {
  parallel_for(0, 3, [](Index) { FAIL(); });
}

TEST(ParallelFor, RethrowsTheFailureOfAJob) {
  for (const int threads : {1, 4})
    EXPECT_THROW(parallel_for(20, threads,
                              [](Index i) {
                                if (i == 7) throw std::runtime_error("seven");
                              }),
                 std::runtime_error);
}

TEST(MakeRng, StreamsDifferAndRepeat) {
  EXPECT_EQ(make_rng(3, 1)(), make_rng(3, 1)());
  EXPECT_NE(make_rng(3, 1)(), make_rng(3, 2)());
  EXPECT_NE(make_rng(3, 1)(), make_rng(4, 1)());
}

}  // namespace
}  // namespace mbll
