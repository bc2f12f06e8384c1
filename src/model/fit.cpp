#include "mbll/model/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>

#include "mbll/data/splits.hpp"
#include "mbll/data/table.hpp"
#include "mbll/error.hpp"
#include "mbll/features/centres.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/gaussian_kernels.hpp"
#include "mbll/features/identity.hpp"
#include "mbll/features/polynomial.hpp"
#include "mbll/features/random_fourier.hpp"
#include "mbll/parallel.hpp"
#include "model/joined_predictive.hpp"

namespace mbll {
namespace {

/// The widths of FitOptions::hidden that mean: chosen by the number of samples.
const std::vector<Index> kChosenHidden = {0};

template <class Enum, std::size_t n>
Enum from_name(const char* option, const std::string& name, const std::array<Enum, n>& values) {
  std::vector<std::string> known;
  for (const Enum value : values) {
    if (name == name_of(value)) return value;
    known.emplace_back(name_of(value));
  }
  throw InvalidArgument(fmt::format("{}: '{}', expected one of {}", option, name, fmt::join(known, ", ")));
}

/// Collects the epochs of all members, or the fits of all candidates, into one fraction, one call at a time.
class ProgressMeter {
 public:
  ProgressMeter(const FitOptions& options, Index total)
      : options_(options), total_(std::max<Index>(1, total)) {}

  [[nodiscard]] std::function<bool(const nn::EpochReport&)> epochs() {
    return [this](const nn::EpochReport& report) { return advance(1, "training", report.training_loss); };
  }
  /// False: stop.
  bool advance(Index done, const char* stage, double loss) {
    const std::scoped_lock lock(mutex_);
    done_ += done;
    if (options_.progress && !stopped_ &&
        !options_.progress({static_cast<double>(done_) / static_cast<double>(total_), stage, loss}))
      stopped_ = true;
    return !stopped_;
  }
  void check() const {
    if (stopped_) throw Cancelled();
  }

 private:
  const FitOptions& options_;
  Index total_;
  Index done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
};

std::vector<Index> all_samples(Index count) {
  std::vector<Index> samples(static_cast<std::size_t>(count));
  std::iota(samples.begin(), samples.end(), Index{0});
  return samples;
}

/// What is left to us, by the number of samples (docs/recipe.md).
FitOptions with_sizes_chosen(FitOptions options, Index samples) {
  constexpr Index kSmall = 500;   // a third layer overfits
  constexpr Index kLarge = 4000;  // more can be learned than three layers hold
  if (options.hidden == kChosenHidden)
    options.hidden.assign(samples < kSmall ? 2 : samples < kLarge ? 3 : 4, 50);
  if (options.batch == 0) options.batch = samples < kLarge ? 32 : 64;
  if (options.epochs == 0) {
    // Small sets need more passes for the same number of steps.
    const auto passes = static_cast<Index>(std::lround(23000 / std::pow(static_cast<double>(samples), 0.7)));
    constexpr Index kEnoughSteps = 100'000;  // more gain nothing and make large sets slow
    const Index limit = std::max<Index>(5, kEnoughSteps * options.batch / samples);
    options.epochs = std::min(limit, std::clamp<Index>(passes, samples < kLarge ? 200 : 140, 450));
  }
  return options;
}

NetworkOptions network_options(const FitOptions& options) {
  NetworkOptions network;
  network.hidden = options.hidden;
  network.activation = options.activation;
  network.variance_head = options.noise == NoiseKind::network;
  network.beta = 0.5;
  network.training.epochs = options.epochs;
  network.training.batch = options.batch;
  network.training.optimiser.rate = options.rate;
  network.training.optimiser.weight_decay = options.weight_decay;
  network.training.optimiser.clip_value = 1.0;
  network.training.schedule.kind = nn::Schedule::one_cycle;
  return network;
}

/// Fixed features to choose from: one per lengthscale, or the one.
std::vector<FeatureMap> fixed_features(const FitOptions& options, const MatrixView& X) {
  const Index q = X.rows();
  switch (options.features) {
    case FeatureKind::linear:
      return {WithConstant{Identity{q}}};
    case FeatureKind::polynomial:
      return {WithConstant{Polynomial::of_degree(q, static_cast<int>(options.degree))}};
    case FeatureKind::mlp:
    case FeatureKind::kernels:
    case FeatureKind::fourier:
      break;
  }
  std::vector<double> lengthscales = {options.lengthscale};
  if (options.lengthscale == 0) {
    lengthscales.clear();
    for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0})
      lengthscales.push_back(factor * std::sqrt(static_cast<double>(q)));
  }
  std::vector<FeatureMap> maps;
  KMeansOptions clusters;
  clusters.clusters = std::min(options.kernels, X.cols());
  clusters.seed = options.seed;
  clusters.threads = options.threads;
  const Matrix centres = options.features == FeatureKind::kernels ? k_means(X, clusters).centres : Matrix();
  for (const double lengthscale : lengthscales) {
    if (options.features == FeatureKind::kernels) {
      maps.emplace_back(WithConstant{GaussianKernels::of_width(centres, lengthscale)});
    } else {
      maps.emplace_back(WithConstant{RandomFourier::gaussian(options.kernels, q, lengthscale, options.seed)});
    }
  }
  return maps;
}

std::string feature_words(const FitOptions& options) {
  switch (options.features) {
    case FeatureKind::mlp:
      return fmt::format("{} {} network", fmt::join(options.hidden, ","), nn::name_of(options.activation));
    case FeatureKind::linear:
      return "linear";
    case FeatureKind::polynomial:
      return fmt::format("polynomial of degree {}", options.degree);
    case FeatureKind::kernels:
      return fmt::format("{} Gaussian kernels", options.kernels);
    case FeatureKind::fourier:
      return fmt::format("{} random Fourier features", options.kernels);
  }
  return "";
}

void describe(const MemberFit& fit, FitReport& report) {
  report.em_steps = fit.em.steps;
  report.em_end = fit.em.trace.empty() ? (fit.converged ? "converged" : "step_limit") : name_of(fit.em.end);
  report.trace = fit.rounds.empty() ? fit.em.trace : fit.rounds;
  report.training_loss = fit.training.training_losses;
}

struct Fitted {
  std::vector<MemberFit> fits;
  std::shared_ptr<const Predictive> validation;  ///< may be null
  std::vector<Index> validation_samples;
};

Fitted fit_cross(const MatrixView& X, const MatrixView& Y, const VectorView& given,
                 const FitOptions& options) {
  CrossFitOptions cross;
  cross.members = options.members;
  cross.column = options.layer.column;
  cross.covariance_known = options.layer.covariance_known;
  cross.threads = options.threads;
  NetworkOptions network = network_options(options);
  ProgressMeter meter(options, network.training.epochs * options.members);
  network.training.progress = meter.epochs();
  CrossFit result = fit_cross_fitted(X, Y, given, all_samples(X.cols()), network, cross, options.seed);
  meter.check();
  Fitted fitted;
  fitted.fits = std::move(result.members);
  for (const auto& held : result.held)
    fitted.validation_samples.insert(fitted.validation_samples.end(), held.begin(), held.end());
  fitted.validation = std::make_shared<const JoinedPredictive>(std::move(result.held_predictives));
  return fitted;
}

Fitted fit_single(const MatrixView& X, const MatrixView& Y, const VectorView& given,
                  const FitOptions& options) {
  Fitted fitted;
  LayerOptions layer = options.layer;
  if (options.features != FeatureKind::mlp) {
    const std::vector<FeatureMap> candidates = fixed_features(options, X);
    ProgressMeter meter(options, static_cast<Index>(candidates.size()));
    if (!layer.progress) layer.progress = [&](const EmStep&) { return meter.advance(0, "evidence", 0); };
    for (const FeatureMap& features : candidates) {
      meter.advance(0, "features", 0);
      meter.check();
      const MemberFit fit = fit_fixed(features, X, Y, given, all_samples(X.cols()), layer, options.threads);
      meter.advance(1, "evidence", 0);
      meter.check();
      if (fitted.fits.empty() || fit.log_evidence > fitted.fits.front().log_evidence)
        fitted.fits.assign(1, fit);
    }
    return fitted;
  }
  const Split split = random_split(X.cols(), options.validation, 0, options.seed);
  NetworkOptions network = network_options(options);
  EndToEndOptions end_to_end;
  if (options.train == TrainKind::end_to_end) end_to_end.rounds = options.rounds;
  ProgressMeter meter(options, network.training.epochs + end_to_end.rounds * end_to_end.epochs);
  network.training.progress = meter.epochs();
  fitted.fits.push_back(fit_network(X, Y, given, split.train, split.validation, network, layer, end_to_end,
                                    options.seed, thread_count(options.threads)));
  meter.check();
  Member& member = fitted.fits.front().member;
  if (split.validation.empty()) return fitted;
  fitted.validation_samples = split.validation;
  const Matrix X_validation = take_samples(X, split.validation);
  Vector given_validation(given.size() > 0 ? X_validation.cols() : 0);
  for (Index i = 0; i < given_validation.size(); ++i)
    given_validation(i) = given(split.validation[static_cast<std::size_t>(i)]);
  fitted.validation =
      std::make_shared<const SharedPredictive>(member.predict(X_validation, given_validation));
  // Judged, they are data like any other.
  member.posterior =
      condition(member.posterior, encode_statistics(member.encoder, X, Y, given, split.validation));
  return fitted;
}

}  // namespace

const char* name_of(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::mlp:
      return "mlp";
    case FeatureKind::linear:
      return "linear";
    case FeatureKind::polynomial:
      return "poly";
    case FeatureKind::kernels:
      return "rbf";
    case FeatureKind::fourier:
      return "fourier";
  }
  return "";
}

const char* name_of(TrainKind kind) {
  switch (kind) {
    case TrainKind::cross_fitted:
      return "cross-fitted";
    case TrainKind::two_phase:
      return "two-phase";
    case TrainKind::end_to_end:
      return "end-to-end";
  }
  return "";
}

const char* name_of(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::constant:
      return "constant";
    case NoiseKind::network:
      return "network";
    case NoiseKind::given:
      return "given";
  }
  return "";
}

FeatureKind feature_kind_from_name(const std::string& name) {
  return from_name("features", name,
                   std::array{FeatureKind::mlp, FeatureKind::linear, FeatureKind::polynomial,
                              FeatureKind::kernels, FeatureKind::fourier});
}

TrainKind train_kind_from_name(const std::string& name) {
  return from_name("train", name,
                   std::array{TrainKind::cross_fitted, TrainKind::two_phase, TrainKind::end_to_end});
}

NoiseKind noise_kind_from_name(const std::string& name) {
  return from_name("noise", name, std::array{NoiseKind::constant, NoiseKind::network, NoiseKind::given});
}

void FitOptions::validate() const {
  const auto at_least = [](const char* name, Index value, Index least) {
    check::require(value >= least, name, fmt::format("is {}, expected at least {}", value, least));
  };
  check::require(!hidden.empty(), "hidden", "is empty, expected the widths of the hidden layers");
  if (hidden != kChosenHidden)
    for (const Index width : hidden) at_least("hidden", width, 1);
  at_least("degree", degree, 1);
  at_least("kernels", kernels, 1);
  check::require(lengthscale >= 0 && std::isfinite(lengthscale), "lengthscale",
                 fmt::format("is {}, expected a finite number ≥ 0", lengthscale));
  at_least("members", members, 2);
  at_least("epochs", epochs, 0);
  at_least("batch", batch, 0);
  check::positive("rate", rate);
  check::require(weight_decay >= 0 && std::isfinite(weight_decay), "weight-decay",
                 fmt::format("is {}, expected a finite number ≥ 0", weight_decay));
  check::require(validation >= 0 && validation < 1, "validation",
                 fmt::format("is {}, expected a share in [0, 1)", validation));
  at_least("rounds", rounds, 1);
  layer.validate();
}

void FitData::validate() {
  check::shape("Y", Y, Y.rows(), X.cols());
  check::require(X.rows() > 0, "X", "has no inputs, expected at least 1");
  check::require(Y.rows() > 0, "Y", "has no outputs, expected at least 1");
  check::finite("X", X);
  check::finite("Y", Y);
  if (sigma.size() > 0) {
    check::size("sigma", sigma, X.cols());
    check::positive("sigma", sigma);
  }
  const auto complete = [](std::vector<std::string>& names, Index count, const char* prefix) {
    if (names.empty())
      for (Index i = 1; i <= count; ++i) names.push_back(prefix + std::to_string(i));
    check::require(static_cast<Index>(names.size()) == count, "names",
                   fmt::format("are {}, expected {}", names.size(), count));
  };
  complete(input_names, X.rows(), "x");
  complete(output_names, Y.rows(), "y");
  const Index least = std::max<Index>(10, 2 * Y.rows());
  check::require(X.cols() >= least, "samples",
                 fmt::format("are {}, expected at least {} to fit {} output{}", X.cols(), least, Y.rows(),
                             Y.rows() == 1 ? "" : "s"));
  for (Index j = 0; j < Y.rows(); ++j)
    check::require(Y.row(j).maxCoeff() > Y.row(j).minCoeff(),
                   output_names[static_cast<std::size_t>(j)].c_str(),
                   fmt::format("is constant ({}), there is nothing to predict", Y(j, 0)));
}

Model fit(FitData data, const FitOptions& given_options) {
  const auto begin = std::chrono::steady_clock::now();
  given_options.validate();
  data.validate();
  const FitOptions options = with_sizes_chosen(given_options, data.X.cols());
  check::require((options.noise == NoiseKind::given) == (data.sigma.size() > 0), "noise",
                 "given needs one sigma per sample, and only given does");
  Scaler inputs = Scaler::fit(data.X);
  Scaler outputs = Scaler::fit(data.Y);
  const Matrix X = inputs.transform(data.X);
  const Matrix Y = outputs.transform(data.Y);
  const bool cross = options.features == FeatureKind::mlp && options.train == TrainKind::cross_fitted;
  Fitted fitted = cross ? fit_cross(X, Y, data.sigma, options) : fit_single(X, Y, data.sigma, options);

  FitReport report;
  report.pipeline = options.features == FeatureKind::mlp ? name_of(options.train) : "fixed features";
  report.features = feature_words(options);
  report.samples = X.cols();
  report.seed = options.seed;
  report.evidence_is_conditional = cross;
  report.converged = true;
  std::vector<Member> members;
  for (MemberFit& fit : fitted.fits) {
    report.log_evidence +=
        fit.log_evidence - static_cast<double>(fit.evidence_samples) * outputs.log_volume();
    report.evidence_samples += fit.evidence_samples;
    report.converged = report.converged && fit.converged;
    members.push_back(std::move(fit.member));
  }
  if (cross) {  // several members judged a sample: their mean counts
    report.log_evidence *= static_cast<double>(report.samples) / static_cast<double>(report.evidence_samples);
    report.evidence_samples = report.samples;
  }
  describe(fitted.fits.front(), report);
  if (fitted.validation) {
    report.validation_samples = static_cast<Index>(fitted.validation_samples.size());
    report.validation = evaluate(*fitted.validation->rescaled(outputs.scale, outputs.mean),
                                 take_samples(data.Y, fitted.validation_samples))
                            .joint;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return Model({std::move(data.input_names),
                std::move(data.output_names),
                options.noise == NoiseKind::given ? "sigma" : "",
                {},
                std::move(inputs),
                std::move(outputs),
                std::move(members),
                std::move(report)});
}

}  // namespace mbll
