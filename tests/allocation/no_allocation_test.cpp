#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "mbll/bayes/posterior.hpp"
#include "support/problem.hpp"

// A program of its own: it replaces malloc by one that counts. Eigen and operator new both end there.
namespace {
std::atomic<long> allocations{0};
}

#ifndef __SANITIZE_ADDRESS__
extern "C" {
void* __libc_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier): glibc's own names
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  ++allocations;
  *result = __libc_memalign(alignment, size);
  return *result == nullptr ? 12 : 0;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace mbll {
namespace {

class NoAllocation : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer has its own malloc";
#endif
    const long before = allocations;
    const Matrix probe = Matrix::Zero(100, 100);
    ASSERT_GT(allocations, before) << "the counter does not see Eigen's allocations";
    ASSERT_EQ(probe(3, 4), 0);
  }
  test::Problem problem = test::make_problem({6, 128, 300, 10}, 121);
};

TEST_F(NoAllocation, PredictOne) {
  const Posterior posterior = condition(problem.normal_prior(), problem.statistics());
  Vector mean(6);
  double sum = posterior.predict_one(problem.Phi_new.col(0), mean);
  const long before = allocations;
  for (Index l = 1; l < 10; ++l) sum += posterior.predict_one(problem.Phi_new.col(l), mean);
  EXPECT_EQ(allocations, before);
  EXPECT_GT(sum, 0);
}

TEST_F(NoAllocation, AddSample) {
  Statistics data(128, 6);
  data.add_sample(problem.Phi.col(0), problem.Y.col(0), 1);
  const long before = allocations;
  for (Index i = 1; i < 300; ++i) data.add_sample(problem.Phi.col(i), problem.Y.col(i), problem.sigma(i));
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(data.samples(), 300);
}

}  // namespace
}  // namespace mbll
