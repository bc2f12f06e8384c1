// Counts every allocation of the program, so it is a program of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "mbll/nn/train.hpp"
#include "nn/reference.hpp"

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define MBLL_CANNOT_COUNT 1
#else
namespace {
std::atomic<long> allocations{0};
}
extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* old, std::size_t size);               // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  ++allocations;
  *result = __libc_memalign(alignment, size);
  return *result == nullptr;
}
}
#endif

namespace mbll::nn {
namespace {

#ifdef MBLL_CANNOT_COUNT
TEST(Allocation, Counted) { GTEST_SKIP() << "allocations cannot be counted under a sanitizer"; }
#else

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  const Matrix held(7, 9);
  EXPECT_EQ(held.rows(), 7);
  const auto value = std::make_unique<int>(3);
  EXPECT_GE(allocations - before, 2) << *value;
}

/// Allocations from the end of the first epoch to the end of the last but one.
long allocations_of_epochs(double spectral_bound, const Loss& loss, Schedule schedule) {
  NetworkSpec spec;
  spec.inputs = 4;
  spec.hidden = {130, 20};  // wide enough that products are packed
  spec.outputs = 2;
  spec.spectral_bound = spectral_bound;
  DensityNetwork<float> network(spec, 1);
  const Matrix X = reference::random_matrix(4, 300, 1);
  const Matrix Y = reference::random_matrix(2, 300, 2);
  const auto samples = reference::all_samples(300);
  TrainingOptions options;
  options.epochs = 6;
  options.batch = 70;  // leaves a partial batch
  options.patience = 100;
  options.schedule.kind = schedule;
  options.optimiser.clip_norm = 1;
  long first = 0;
  long last = 0;
  options.progress = [&](const EpochReport& report) {
    if (report.epoch == 0) first = allocations;
    if (report.epoch == 4) last = allocations;
    return true;
  };
  const std::span<const Index> all(samples);
  (void)train(network, X, Y, all.first(220), all.subspan(220), loss, options);
  return last - first;
}

TEST(Allocation, NoneInAnEpoch) {
  const LastLayerLoss last_layer{Matrix::Ones(2, 21), 0.1 * Matrix::Identity(21, 21), Matrix::Identity(2, 2)};
  EXPECT_EQ(allocations_of_epochs(0, DensityLoss{.beta = 0.5}, Schedule::plateau), 0);
  EXPECT_EQ(allocations_of_epochs(0, last_layer, Schedule::one_cycle), 0);
  EXPECT_EQ(allocations_of_epochs(1, DensityLoss{}, Schedule::cosine), 0);
}

TEST(Allocation, NoneInInference) {
  NetworkSpec spec;
  spec.inputs = 8;
  spec.hidden = {128, 128};
  const DensityNetwork<float> network(spec, 1);
  const Matrix X = reference::random_matrix(8, 1, 1);
  Matrix features(128, 1);
  Matrix mean(1, 1);
  Vector log_variance(1);
  DensityNetwork<float>::Workspace workspace;
  network.forward_into(X, features, mean, log_variance, workspace);
  const long before = allocations;
  network.forward_into(X, features, mean, log_variance, workspace);
  network.features_into(X, features, workspace);
  EXPECT_EQ(allocations, before);
}
#endif

}  // namespace
}  // namespace mbll::nn
