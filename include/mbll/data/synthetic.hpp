#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mbll/core.hpp"
#include "mbll/data/table.hpp"

namespace mbll {

/// Data made from a known truth y = mean(x) + sigma(x) ε, ε ~ N(0, V). The same samples for the same seed.
struct SyntheticSet {
  std::string name;
  std::vector<std::string> input_names;                      ///< q
  std::vector<std::string> output_names;                     ///< p
  Matrix X;                                                  ///< q×N
  Matrix Y;                                                  ///< p×N
  std::function<Matrix(const MatrixView& /* q×L */)> mean;   ///< p×L
  std::function<Vector(const MatrixView& /* q×L */)> sigma;  ///< L, > 0
  Matrix V;                                                  ///< p×p

  /// Inputs, then outputs.
  [[nodiscard]] Table table() const;
};

/// The two interpolation problems of the paper: x uniform on four intervals of length 1 centred at −3.5,
/// −1.5, 1.5 and 3.5, p = q = 1. The paper names only the kind of the functions; here
///   mean(x) = sin(1.5x) + ½ cos(4x),   sigma = 0.2   or   sigma(x) = 0.05 + 0.4 cos²(x/2),   V = 1.
/// `samples` ≥ 1.
[[nodiscard]] SyntheticSet interpolation_constant_noise(Index samples = 500, std::uint64_t seed = 1);
[[nodiscard]] SyntheticSet interpolation_heteroscedastic(Index samples = 500, std::uint64_t seed = 1);

/// Three correlated outputs of two inputs uniform on [−2, 2]²:
///   mean(x) = (sin(2x₁) + x₂/2,  x₁x₂/2,  cos(x₁ + x₂)),   sigma(x) = 0.1 + 0.2 (1 + tanh(x₁ − x₂)),
///   V = [1, 0.8, −0.3; 0.8, 1, 0; −0.3, 0, 0.5].
[[nodiscard]] SyntheticSet multivariate_heteroscedastic(Index samples = 1000, std::uint64_t seed = 1);

/// By the names interpolation, interpolation-heteroscedastic, multivariate. Throws InvalidArgument with the
/// nearest name.
[[nodiscard]] SyntheticSet make_synthetic(const std::string& name, std::uint64_t seed = 1);
[[nodiscard]] const std::vector<std::string>& synthetic_names();

}  // namespace mbll
