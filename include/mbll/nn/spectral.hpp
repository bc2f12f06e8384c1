#pragma once

#include <vector>

#include "mbll/core.hpp"
#include "mbll/nn/layout.hpp"

namespace mbll::nn {

/// Spectral normalisation in training: a hidden layer acts as W·min(1, bound/s), s its largest singular
/// value. s comes from power iteration, whose vectors are kept from step to step (one iteration per step is
/// enough, because W changes slowly).
template <class Scalar>
class SpectralNormalisation {
 public:
  using Array = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  SpectralNormalisation(const ParameterLayout& layout, double bound);

  /// normalised = raw with every hidden layer scaled, after at most `iterations` power iterations per layer
  /// (fewer when s no longer changes).
  void apply(const Array& raw, Array& normalised, int iterations);
  /// Turns the gradient at the normalised weights into that at the raw ones: (c/s)(G − ⟨G, W⟩/s · u vᵀ), with
  /// u, v held constant.
  void pull_back(const Array& raw, Array& gradient) const;

  /// Forgets the vectors of the power iteration.
  void reset();

  /// Iterations after which s is as good as exact.
  static constexpr int converged = 500;

 private:
  struct State {
    Array u, v;
    Scalar s = 0;
  };

  ParameterLayout layout_;
  Scalar bound_;
  std::vector<State> layers_;
};

extern template class SpectralNormalisation<float>;
extern template class SpectralNormalisation<double>;

}  // namespace mbll::nn
