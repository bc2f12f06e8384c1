// A feature map of one's own: any type with inputs(), features() and map() will do.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numbers>

#include "mbll/bayes/posterior.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/identity.hpp"

/// Daily cycle of a time in hours and its harmonics: (cos kωt, sin kωt), k = 1 … harmonics.
struct DailyCycle {
  mbll::Index harmonics = 2;

  [[nodiscard]] mbll::Index inputs() const { return 1; }
  [[nodiscard]] mbll::Index features() const { return 2 * harmonics; }
  void map(const mbll::MatrixView& hours /* 1×N */, mbll::MatrixSpan Phi /* d×N */) const {
    for (mbll::Index k = 0; k < harmonics; ++k) {
      const double rate = 2 * std::numbers::pi / 24 * static_cast<double>(k + 1);
      Phi.row(2 * k) = (rate * hours).array().cos();
      Phi.row(2 * k + 1) = (rate * hours).array().sin();
    }
  }
};

int main() {
  using namespace mbll;
  // It goes wherever a FeatureMap goes, alone or combined: here with a linear trend and an intercept.
  const FeatureMap phi = WithConstant{Concatenated{{DailyCycle{2}, Identity{1}}}};

  // Ten days, every half hour: trend, daily cycle and noise of standard deviation 0.2.
  const Matrix hours = Vector::LinSpaced(480, 0, 239.5).transpose();
  const auto truth = [](double t) { return 15 + 0.02 * t + 4 * std::sin(2 * std::numbers::pi * t / 24); };
  const double sigma = 0.2;
  Rng rng = make_rng(1);
  std::normal_distribution<double> noise(0, sigma);
  const Matrix temperature = hours.unaryExpr([&](double t) { return truth(t) + noise(rng); });

  Statistics data(phi.features(), 1);
  data.add(phi(hours), temperature, Vector::Constant(hours.cols(), sigma));
  const NormalPrior prior{.M = Matrix::Zero(1, phi.features()),
                          .V = Covariance::identity(1),
                          .K = Covariance::isotropic(phi.features(), 100)};
  const Posterior posterior = condition(prior, data);

  // Two days later.
  const Matrix later = Vector::LinSpaced(5, 282, 288).transpose();
  const auto predictive = posterior.predict(phi(later), Vector::Constant(5, sigma));
  bool right = true;
  for (Index l = 0; l < later.cols(); ++l) {
    const double mean = predictive.mean()(0, l);
    const double model_error = std::sqrt(predictive.epistemic_variance()(0, l));
    std::cout << "hour " << later(0, l) << ": " << mean << " ± " << model_error << " (model) ± " << sigma
              << " (noise), truth " << truth(later(0, l)) << '\n';
    right = right && std::abs(mean - truth(later(0, l))) < 5 * model_error;
  }
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
