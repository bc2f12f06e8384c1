#pragma once

#include <memory>

#include "mbll/core.hpp"
#include "mbll/features/feature_map.hpp"
#include "mbll/nn/network.hpp"

namespace mbll {

using SharedNetwork = std::shared_ptr<const nn::DensityNetwork<float>>;

/// Where σ(x) comes from: σ(x) = scale · s(x)^exponent.
struct NoiseModel {
  enum class Kind {
    constant,  ///< s = 1
    network,   ///< s² from the network's ln σ² head
    given,     ///< s is handed in with every sample
  };
  Kind kind = Kind::constant;
  double scale = 1;
  double exponent = 1;
  SharedNetwork network;  ///< Kind::network only

  /// Throws InvalidArgument if scale is not positive or the network is missing.
  void validate() const;
};

/// From inputs to what the last layer sees: φ(x) and σ(x) in one pass. Immutable, cheap to copy, safe to
/// share.
class Encoder {
 public:
  /// Throws InvalidArgument if features and noise network do not take the same inputs.
  Encoder(FeatureMap features, NoiseModel noise);

  [[nodiscard]] Index inputs() const { return features_.inputs(); }
  [[nodiscard]] Index features() const { return features_.features(); }
  [[nodiscard]] const FeatureMap& feature_map() const { return features_; }
  [[nodiscard]] const NoiseModel& noise() const { return noise_; }
  /// The same features with another noise model.
  [[nodiscard]] Encoder with_noise(NoiseModel noise) const { return {features_, std::move(noise)}; }

  /// Writes Φ and σ of N samples. `given` is s for Kind::given (N entries, > 0) and ignored otherwise (may be
  /// empty). Features and σ of the same network come out of one forward pass.
  void encode(const MatrixView& X /* q×N */, const VectorView& given, MatrixSpan Phi /* d×N */,
              VectorSpan sigma /* N */) const;

 private:
  FeatureMap features_;
  NoiseModel noise_;
  bool one_pass_ = false;  // features are [network; 1] of the noise's own network
};

}  // namespace mbll
