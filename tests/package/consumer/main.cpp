#include <cmath>
#include <cstdio>

#include "mbll/bayes/posterior.hpp"

// Exact posterior of y = a₁ + a₂x from three samples of a line without noise: the mean must be close to (1,
// 2).
int main() {
  mbll::Statistics data(2, 1);
  data.add(mbll::Matrix{{1, 1, 1}, {0, 1, 2}}, mbll::Matrix{{1, 3, 5}}, mbll::Vector::Constant(3, 1e-3));
  const mbll::NormalPrior prior{mbll::Matrix::Zero(1, 2), mbll::Covariance::identity(1),
                                mbll::Covariance::identity(2)};
  const mbll::Matrix mean = mbll::condition(prior, data).mean();
  std::printf("mbll %s: %g %g\n", mbll::version(), mean(0, 0), mean(0, 1));
  return std::abs(mean(0, 0) - 1) < 1e-4 && std::abs(mean(0, 1) - 2) < 1e-4 ? 0 : 1;
}
