#include "mbll/data/synthetic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>

#include "mbll/data/nearest_name.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

/// Inputs and noise come from different streams: another truth on the same inputs differs in the outputs
/// only.
constexpr std::uint64_t kInputs = 0;
constexpr std::uint64_t kNoise = 1;

void draw_outputs(SyntheticSet& set, std::uint64_t seed) {
  Rng rng = make_rng(seed, kNoise);
  std::normal_distribution<double> normal;
  Matrix noise(set.V.rows(), set.X.cols());
  for (double& e : noise.reshaped()) e = normal(rng);
  const Matrix root = set.V.llt().matrixL();
  set.Y = set.mean(set.X) + root * noise * set.sigma(set.X).asDiagonal();
}

SyntheticSet interpolation(Index samples, std::uint64_t seed) {
  check::require(samples >= 1, "samples", fmt::format("is {}, expected at least 1", samples));
  SyntheticSet set;
  set.input_names = {"x"};
  set.output_names = {"y"};
  constexpr std::array<double, 4> kCentres = {-3.5, -1.5, 1.5, 3.5};
  Rng rng = make_rng(seed, kInputs);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  set.X.resize(1, samples);
  for (double& x : set.X.reshaped()) {
    const double centre = kCentres[rng() % kCentres.size()];
    x = centre + uniform(rng);
  }
  set.mean = [](const MatrixView& X) -> Matrix {
    return (1.5 * X.array()).sin() + 0.5 * (4 * X.array()).cos();
  };
  set.V = Matrix::Ones(1, 1);
  return set;
}

}  // namespace

Table SyntheticSet::table() const {
  std::vector<std::string> names = input_names;
  names.insert(names.end(), output_names.begin(), output_names.end());
  Matrix values(X.rows() + Y.rows(), X.cols());
  values << X, Y;
  return Table(name, std::move(names), std::move(values));
}

SyntheticSet interpolation_constant_noise(Index samples, std::uint64_t seed) {
  SyntheticSet set = interpolation(samples, seed);
  set.name = "interpolation";
  set.sigma = [](const MatrixView& X) -> Vector { return Vector::Constant(X.cols(), 0.2); };
  draw_outputs(set, seed);
  return set;
}

SyntheticSet interpolation_heteroscedastic(Index samples, std::uint64_t seed) {
  SyntheticSet set = interpolation(samples, seed);
  set.name = "interpolation-heteroscedastic";
  set.sigma = [](const MatrixView& X) -> Vector {
    return 0.05 + 0.4 * (0.5 * X.row(0).transpose().array()).cos().square();
  };
  draw_outputs(set, seed);
  return set;
}

SyntheticSet multivariate_heteroscedastic(Index samples, std::uint64_t seed) {
  check::require(samples >= 1, "samples", fmt::format("is {}, expected at least 1", samples));
  SyntheticSet set;
  set.name = "multivariate";
  set.input_names = {"x1", "x2"};
  set.output_names = {"y1", "y2", "y3"};
  Rng rng = make_rng(seed, kInputs);
  std::uniform_real_distribution<double> uniform(-2, 2);
  set.X.resize(2, samples);
  for (double& x : set.X.reshaped()) x = uniform(rng);
  set.mean = [](const MatrixView& X) {
    const Eigen::ArrayXd x1 = X.row(0), x2 = X.row(1);
    Matrix mean(3, X.cols());
    mean.row(0) = (2 * x1).sin() + 0.5 * x2;
    mean.row(1) = 0.5 * x1 * x2;
    mean.row(2) = (x1 + x2).cos();
    return mean;
  };
  set.sigma = [](const MatrixView& X) -> Vector {
    return 0.1 + 0.2 * (1 + (X.row(0) - X.row(1)).transpose().array().tanh());
  };
  set.V = Matrix{{1, 0.8, -0.3}, {0.8, 1, 0}, {-0.3, 0, 0.5}};
  draw_outputs(set, seed);
  return set;
}

const std::vector<std::string>& synthetic_names() {
  static const std::vector<std::string> names = {"interpolation", "interpolation-heteroscedastic",
                                                 "multivariate"};
  return names;
}

SyntheticSet make_synthetic(const std::string& name, std::uint64_t seed) {
  if (name == "interpolation") return interpolation_constant_noise(500, seed);
  if (name == "interpolation-heteroscedastic") return interpolation_heteroscedastic(500, seed);
  if (name == "multivariate") return multivariate_heteroscedastic(1000, seed);
  const std::string nearest = nearest_name(name, synthetic_names());
  throw InvalidArgument(fmt::format("synthetic set: '{}' is not known{}; there are {}", name,
                                    nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest),
                                    fmt::join(synthetic_names(), ", ")));
}

}  // namespace mbll
