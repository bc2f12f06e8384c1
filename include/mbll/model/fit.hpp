#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mbll/model/model.hpp"

namespace mbll {

enum class FeatureKind { mlp, linear, polynomial, kernels, fourier };
enum class TrainKind { cross_fitted, two_phase, end_to_end };
enum class NoiseKind { constant, network, given };

/// Names as on the command line: "mlp", "linear", "poly", "rbf", "fourier"; "cross-fitted", "two-phase",
/// "end-to-end"; "constant", "network", "given". The latter throw InvalidArgument that lists the known ones.
[[nodiscard]] const char* name_of(FeatureKind kind);
[[nodiscard]] const char* name_of(TrainKind kind);
[[nodiscard]] const char* name_of(NoiseKind kind);
[[nodiscard]] FeatureKind feature_kind_from_name(const std::string& name);
[[nodiscard]] TrainKind train_kind_from_name(const std::string& name);
[[nodiscard]] NoiseKind noise_kind_from_name(const std::string& name);

/// How far a fit has come, for progress bars.
struct FitProgress {
  double fraction = 0;  ///< of the whole fit, 0 … 1
  std::string stage;    ///< "training member 2 of 5"
  double loss = 0;      ///< of the last epoch
};

/// All of a fit, with the defaults of `mbll fit` (docs/recipe.md says why these).
struct FitOptions {
  FeatureKind features = FeatureKind::mlp;
  std::vector<Index> hidden = {0};                   ///< mlp; {0}: chosen by the number of samples
  nn::Activation activation = nn::Activation::silu;  ///< mlp
  Index degree = 3;                                  ///< poly
  Index kernels = 100;                               ///< rbf centres (k-means), fourier features
  double lengthscale = 0;                     ///< rbf, fourier in standardised inputs; 0: chosen by evidence
  NoiseKind noise = NoiseKind::network;       ///< without a network, network means constant
  TrainKind train = TrainKind::cross_fitted;  ///< mlp
  LayerOptions layer;                         ///< two-phase, end-to-end and fixed features
  Index members = 20;                         ///< cross-fitted
  Index epochs = 0;                           ///< 0: chosen by the number of samples
  Index batch = 0;                            ///< 0: chosen by the number of samples
  double rate = 1e-2;                         ///< peak of the one-cycle schedule
  double weight_decay = 0.01;
  double validation = 0.2;  ///< share held out by two-phase and end-to-end
  int rounds = 30;          ///< end-to-end
  std::uint64_t seed = 0;
  int threads = 0;  ///< 0: all cores. Does not change the result.
  /// Called now and then, possibly from several threads (never at once); false stops the fit with Cancelled.
  std::function<bool(const FitProgress&)> progress;

  void validate() const;
};

/// Thrown when the progress callback asked to stop.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("the fit was stopped") {}
};

/// The data of a fit, in its own units.
struct FitData {
  Matrix X;      ///< q×N
  Matrix Y;      ///< p×N
  Vector sigma;  ///< N for NoiseKind::given, otherwise empty
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;

  /// Names x1 … xq, y1 … yp where there are none. Throws InvalidArgument for wrong shapes, non-finite values,
  /// too few samples, or a constant output.
  void validate();
};

/// Scales, trains, estimates, and returns the fitted model.
[[nodiscard]] Model fit(FitData data, const FitOptions& options = {});

}  // namespace mbll
