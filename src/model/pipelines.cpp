#include "mbll/model/pipelines.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mbll/bayes/mixture.hpp"
#include "mbll/bayes/mixture_width.hpp"
#include "mbll/data/splits.hpp"
#include "mbll/data/table.hpp"
#include "mbll/error.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/network.hpp"
#include "mbll/parallel.hpp"

namespace mbll {
namespace {

using Network = nn::DensityNetwork<float>;

/// Streams of one seed, so that initial weights, order of samples and folds do not share random numbers.
enum Stream : std::uint64_t { kWeights = 1, kOrder = 1000, kFolds = 2000 };

std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t stream) { return make_rng(seed, stream)(); }

Network make_network(Index inputs, Index outputs, const NetworkOptions& options, std::uint64_t seed) {
  nn::NetworkSpec spec;
  spec.inputs = inputs;
  spec.hidden = options.hidden;
  spec.outputs = outputs;
  spec.activation = options.activation;
  spec.variance_head = options.variance_head;
  spec.spectral_bound = options.spectral_bound;
  return {spec, seed};
}

FeatureMap features_of(const SharedNetwork& network, bool mirrored) {
  const FeatureMap hidden = NetworkBackbone{network};
  return WithConstant{mirrored ? FeatureMap(Mirrored{hidden}) : hidden};
}

/// ln σ² of a network with constant noise, or the bias of its variance head.
double log_variance_bias(const Network& network) {
  const Vector parameters = network.parameters();
  return parameters(parameters.size() - 1);
}

/// A network's own σ(x), or its constant.
NoiseModel noise_of(const SharedNetwork& network, bool given) {
  NoiseModel noise;
  if (given) {
    noise.kind = NoiseModel::Kind::given;
  } else if (network->spec().variance_head) {
    noise.kind = NoiseModel::Kind::network;
    noise.network = network;
  } else {
    noise.scale = std::exp(0.5 * log_variance_bias(*network));
  }
  return noise;
}

Encoder rescaled(const Encoder& encoder, double factor) {
  NoiseModel noise = encoder.noise();
  noise.scale *= factor;
  return encoder.with_noise(noise);
}

nn::DensityLoss density_loss(const NetworkOptions& options) {
  // V₀ = I, for standardised outputs. The paper takes their covariance; with outputs that are nearly the same
  // (Energy: correlation 0.976) that weighs their difference so much that the mean is learned badly: RMSE 3.7
  // instead of 1.3.
  nn::DensityLoss loss;
  loss.beta = options.beta;
  // A constant σ has a closed form given the mean, and EM estimates it. Learned by gradient it lags behind,
  // and the validation loss then goes on falling while the mean already overfits (measured: Boston's RMSE 4.2
  // instead of 3.2).
  loss.fixed_variance = !options.variance_head;
  return loss;
}

nn::TrainingSummary pretrain(Network& network, const MatrixView& X, const MatrixView& Y,
                             const std::vector<Index>& train, const std::vector<Index>& validation,
                             const NetworkOptions& options, std::uint64_t seed) {
  nn::TrainingOptions training = options.training;
  training.seed = seed;
  if (training.epochs == 0) return {};
  return nn::train(network, X, Y, train, validation, nn::Loss(density_loss(options)), training);
}

/// Trains in pieces; `judge` is the validation loss (lower is better). The network is left at its best.
nn::TrainingSummary train_by_checkpoints(Network& network, const MatrixView& X, const MatrixView& Y,
                                         const std::vector<Index>& train, const NetworkOptions& options,
                                         std::uint64_t seed,
                                         const std::function<double(const Network&)>& judge) {
  constexpr int kPatience = 3;  // checkpoints without improvement before the rate is halved
  constexpr int kReductions = 3;
  nn::TrainingSummary summary;
  nn::TrainingOptions piece = options.training;
  piece.epochs = options.checkpoint_epochs;
  piece.patience = 0;
  piece.schedule = {};
  const nn::Loss loss(density_loss(options));
  Network best = network;
  double best_loss = judge(network);
  int idle = 0;
  int reductions = 0;
  while (summary.epochs < options.training.epochs) {
    piece.seed = derived_seed(seed, static_cast<std::uint64_t>(summary.epochs));
    const nn::TrainingSummary part = nn::train(network, X, Y, train, {}, loss, piece);
    summary.training_losses.insert(summary.training_losses.end(), part.training_losses.begin(),
                                   part.training_losses.end());
    summary.epochs += part.epochs;
    summary.end = part.end;
    if (part.end == nn::TrainingEnd::stopped_by_callback || part.end == nn::TrainingEnd::diverged) break;
    const double now = judge(network);
    summary.validation_losses.push_back(now);
    if (now < best_loss) {
      best_loss = now;
      best = network;
      summary.best_epoch = summary.epochs - 1;
      idle = 0;
      continue;
    }
    if (++idle < kPatience) continue;
    idle = 0;
    network = best;
    piece.optimiser.rate *= 0.5;
    if (++reductions > kReductions) {
      summary.end = nn::TrainingEnd::early_stopped;
      break;
    }
  }
  network = best;
  return summary;
}

/// V, when it is known, up to the factor σ² that EM estimates: how the residuals of the network's own mean
/// covary.
Covariance residual_covariance(const Network& network, const MatrixView& X, const MatrixView& Y,
                               const std::vector<Index>& samples) {
  if (Y.rows() == 1) return Covariance::identity(1);
  const Matrix residual = take_samples(Y, samples) - network.forward(take_samples(X, samples)).mean;
  std::vector<Index> all(samples.size());
  std::iota(all.begin(), all.end(), Index{0});
  return output_covariance(residual, all);
}

MemberFit to_fit(const Encoder& encoder, LayerFit layer) {
  MemberFit fit{{rescaled(encoder, layer.noise_scale), layer.posterior},
                layer.em,
                layer.posterior.log_evidence(),
                layer.posterior.samples(),
                layer.prior_variance.mean(),
                {},
                {},
                layer.em.converged()};
  return fit;
}

void check_samples(const MatrixView& X, const MatrixView& Y, const std::vector<Index>& samples) {
  check::shape("Y", Y, Y.rows(), X.cols());
  check::finite("X", X);
  check::finite("Y", Y);
  check::require(static_cast<Index>(samples.size()) > Y.rows(), "samples",
                 "are " + std::to_string(samples.size()) + ", expected more than the " +
                     std::to_string(Y.rows()) + " outputs");
}

}  // namespace

SharedPredictive Member::predict(const MatrixView& X, const VectorView& given) const {
  Matrix Phi(encoder.features(), X.cols());
  Vector sigma(X.cols());
  encoder.encode(X, given, Phi, sigma);
  return posterior.predict(Phi, sigma);
}

MemberFit fit_fixed(const FeatureMap& features, const MatrixView& X, const MatrixView& Y,
                    const VectorView& given, const std::vector<Index>& samples, const LayerOptions& layer,
                    int threads) {
  check_samples(X, Y, samples);
  NoiseModel noise;
  if (given.size() > 0) noise.kind = NoiseModel::Kind::given;
  const Encoder encoder(features, noise);
  StatisticsOptions options;
  options.threads = threads;
  const Statistics data = encode_statistics(encoder, X, Y, given, samples, options);
  return to_fit(encoder, fit_layer(data, output_covariance(Y, samples), std::nullopt, layer));
}

MemberFit fit_network(const MatrixView& X, const MatrixView& Y, const VectorView& given,
                      const std::vector<Index>& train, const std::vector<Index>& validation,
                      const NetworkOptions& options, const LayerOptions& layer,
                      const EndToEndOptions& end_to_end, std::uint64_t seed, int threads) {
  check_samples(X, Y, train);
  Network network = make_network(X.rows(), Y.rows(), options, derived_seed(seed, kWeights));
  StatisticsOptions statistics;
  statistics.threads = threads;
  const auto fit_on = [&](const Network& current, const std::vector<Index>& samples) {
    const auto shared = std::make_shared<const Network>(current);
    const Encoder encoder(features_of(shared, options.mirrored), noise_of(shared, given.size() > 0));
    const Statistics data = encode_statistics(encoder, X, Y, given, samples, statistics);
    std::optional<Matrix> pretrained;
    if (!options.mirrored) pretrained = current.mean_head();
    const Covariance V = residual_covariance(current, X, Y, validation.empty() ? train : validation);
    return to_fit(encoder, fit_layer(data, V, pretrained, layer));
  };

  nn::TrainingSummary training;
  if (options.checkpoint_epochs > 0) {
    check::require(!validation.empty(), "validation",
                   "is empty, expected samples to judge the checkpoints by");
    const Matrix X_validation = take_samples(X, validation);
    const Matrix Y_validation = take_samples(Y, validation);
    const Vector given_validation = given.size() > 0 ? Vector(given(validation)) : Vector();
    training = train_by_checkpoints(
        network, X, Y, train, options, derived_seed(seed, kOrder), [&](const Network& current) {
          const Member member = fit_on(current, train).member;
          return -member.predict(X_validation, given_validation).log_density(Y_validation).mean();
        });
  } else {
    training = pretrain(network, X, Y, train, validation, options, derived_seed(seed, kOrder));
  }
  std::vector<Index> em_samples = train;
  if (end_to_end.em_on_validation) em_samples.insert(em_samples.end(), validation.begin(), validation.end());
  const auto fit_now = [&](const Network& current) { return fit_on(current, em_samples); };

  MemberFit fit = fit_now(network);
  fit.training = std::move(training);
  std::vector<EmStep> rounds;
  double rate = end_to_end.rate;
  bool settled = end_to_end.rounds == 0;
  for (int round = 0; round < end_to_end.rounds && !settled; ++round) {
    if (rounds.empty()) rounds.push_back(fit.em.trace.back());
    // The estimated factor on σ goes into the network's own ln σ², so that the M-step sees the σ of the
    // E-step.
    Vector parameters = network.parameters();
    parameters(parameters.size() - 1) +=
        2 * std::log(fit.member.encoder.noise().scale) -
        (network.spec().variance_head ? 0.0 : parameters(parameters.size() - 1));
    network.set_parameters(parameters);

    const Posterior& posterior = fit.member.posterior;
    nn::LastLayerLoss loss;
    loss.mean = posterior.mean();
    loss.factor = posterior.column_covariance().factor();
    loss.precision = posterior.row_scale().precision();
    if (!posterior.noise_known())
      loss.precision *= posterior.nu() - static_cast<double>(Y.rows()) - 1;  // E[V⁻¹ | Y]
    nn::TrainingOptions m_step = options.training;
    m_step.epochs = end_to_end.epochs;
    m_step.seed = derived_seed(seed, kOrder + 1 + static_cast<std::uint64_t>(round));
    m_step.optimiser.weight_decay = 0;  // not part of Q₁
    m_step.schedule = {};
    m_step.patience = 0;
    // Generalised EM: any step that raises Q₁ raises the evidence. One that does not is taken back and tried
    // smaller.
    const double start = nn::mean_loss(network, X, Y, train, nn::Loss(loss));
    const Network kept = network;
    bool raised = false;
    for (int attempt = 0; attempt < 8 && !raised; ++attempt) {
      network = kept;
      m_step.optimiser.rate = rate;
      (void)nn::train(network, X, Y, train, {}, nn::Loss(loss), m_step);
      raised = nn::mean_loss(network, X, Y, train, nn::Loss(loss)) < start;
      if (!raised) rate *= 0.5;
    }
    if (!raised) {
      settled = true;
      break;
    }
    rate *= end_to_end.rate_factor;

    MemberFit next = fit_now(network);
    const EmStep& before = rounds.back();
    const EmStep& now = next.em.trace.back();
    const auto change = [](double a, double b) { return std::abs(a - b) / std::max(1e-300, std::abs(b)); };
    settled = std::max({change(before.log_evidence, now.log_evidence),
                        change(before.column_trace, now.column_trace),
                        change(fit.member.encoder.noise().scale, next.member.encoder.noise().scale)}) <
              end_to_end.tolerance;
    rounds.push_back(now);
    next.training = std::move(fit.training);
    fit = std::move(next);
  }
  fit.converged = fit.converged && settled;
  fit.rounds = std::move(rounds);
  return fit;
}

namespace {

/// What one exponent of σ(x) gives.
struct Trial {
  Encoder encoder;
  ConditionalResult result;
  Statistics train;
  double log_evidence;  ///< as a density of y: comparable between exponents
};

Trial try_exponent(const Encoder& base, double exponent, const MatrixView& X, const MatrixView& Y,
                   const VectorView& given, const std::vector<Index>& train, const std::vector<Index>& held,
                   const CrossFitOptions& options) {
  NoiseModel noise = base.noise();
  noise.exponent = exponent;
  if (exponent == 0 && noise.kind == NoiseModel::Kind::network) noise = NoiseModel{};
  const Encoder encoder = base.with_noise(noise);
  Statistics before = encode_statistics(encoder, X, Y, given, train);
  const Statistics after = encode_statistics(encoder, X, Y, given, held);
  const Index d = encoder.features();
  const Index p = Y.rows();
  ConditionalOptions conditional;
  conditional.column = options.column;
  conditional.estimate_row_covariance = p > 1;
  const NormalPrior start{Matrix::Zero(p, d), output_covariance(Y, train), Covariance::identity(d)};
  ConditionalResult result = fit_conditional(start, before, after, conditional);
  const double log_evidence = result.log_evidence;
  return {encoder, std::move(result), std::move(before), log_evidence};
}

/// The posterior of V when it is unknown: from the held-out residuals alone, because those of the training
/// samples are too small (the features have seen them).
Posterior with_unknown_covariance(const Posterior& posterior, const Covariance& V, Index held) {
  const auto p = static_cast<double>(V.size());
  const double nu = 2 * p + 3 + static_cast<double>(held);
  return Posterior::from_parts(posterior.mean(), posterior.column_covariance(), V.scaled(nu - 2 * p - 2), nu,
                               posterior.residual_scatter(), posterior.log_evidence(), posterior.samples());
}

/// Two members hold every sample out; of two in all, each must have a part to train on.
Index parts_held_out(Index members) { return members > 2 ? 2 : 1; }

/// Who holds out what: the samples are cut into as many parts as there are members, and each member holds out
/// `run` neighbouring parts, so that `run` members can be judged together on every sample.
struct HoldOutPlan {
  std::vector<std::vector<Index>> parts;
  std::size_t run;

  [[nodiscard]] std::size_t part(std::size_t member, std::size_t place) const {
    return (member + place) % parts.size();
  }
  [[nodiscard]] std::size_t holder(std::size_t part, std::size_t place) const {
    return (part + parts.size() - place) % parts.size();
  }
  [[nodiscard]] bool holds_out(std::size_t member, std::size_t part) const {
    return (part + parts.size() - member) % parts.size() < run;
  }
  [[nodiscard]] std::vector<Index> samples(std::size_t member, bool held) const {
    std::vector<Index> result;
    for (std::size_t j = 0; j < parts.size(); ++j)
      if (holds_out(member, j) == held) result.insert(result.end(), parts[j].begin(), parts[j].end());
    return result;
  }
};

HoldOutPlan plan_hold_outs(const std::vector<Index>& samples, Index members, std::uint64_t seed) {
  HoldOutPlan plan;
  plan.run = static_cast<std::size_t>(parts_held_out(members));
  for (const Split& fold : k_folds(static_cast<Index>(samples.size()), members, seed)) {
    std::vector<Index>& part = plan.parts.emplace_back();
    for (const Index position : fold.test) part.push_back(samples[static_cast<std::size_t>(position)]);
  }
  return plan;
}

/// A member with all samples, and what it said of each part that it held out.
struct CrossMember {
  MemberFit fit;
  std::vector<SharedPredictive> held;
};

CrossMember fit_cross_member(const MatrixView& X, const MatrixView& Y, const VectorView& given,
                             const HoldOutPlan& plan, std::size_t number,
                             const NetworkOptions& network_options, const CrossFitOptions& options,
                             std::uint64_t seed) {
  const std::vector<Index> train = plan.samples(number, false);
  const std::vector<Index> held = plan.samples(number, true);
  Network network = make_network(X.rows(), Y.rows(), network_options, derived_seed(seed, kWeights + number));
  nn::TrainingSummary training =
      pretrain(network, X, Y, train, {}, network_options, derived_seed(seed, kOrder + number));
  const auto shared = std::make_shared<const Network>(std::move(network));
  const Encoder base(features_of(shared, network_options.mirrored), noise_of(shared, given.size() > 0));
  const bool variable = base.noise().kind == NoiseModel::Kind::network;
  const std::vector<double> exponents = variable ? options.noise_exponents : std::vector<double>{1};
  std::optional<Trial> best;
  for (const double exponent : exponents) {
    Trial trial = try_exponent(base, exponent, X, Y, given, train, held, options);
    if (!best || trial.log_evidence > best->log_evidence) best = std::move(trial);
  }

  const ConditionalResult& chosen = best->result;
  const auto held_count = static_cast<Index>(held.size());
  Posterior before = condition(chosen.prior, best->train.with_noise_scaled(chosen.noise_scale));
  Posterior after = chosen.posterior;
  if (!options.covariance_known) {
    before = with_unknown_covariance(before, chosen.prior.V, held_count);
    after = with_unknown_covariance(after, chosen.prior.V, held_count);
  }
  const Encoder encoder = rescaled(best->encoder, chosen.noise_scale);
  CrossMember result{{{encoder, after},
                      {},
                      chosen.log_evidence,
                      held_count,
                      chosen.prior.K.trace() / static_cast<double>(chosen.prior.K.size()),
                      std::move(training),
                      {},
                      chosen.converged},
                     {}};
  for (std::size_t place = 0; place < plan.run; ++place) {
    const std::vector<Index>& part = plan.parts[plan.part(number, place)];
    const Vector given_part = given.size() > 0 ? Vector(given(part)) : Vector();
    result.held.push_back(Member{encoder, before}.predict(take_samples(X, part), given_part));
  }
  return result;
}

std::vector<HeldOutMixture> mix_by_part(const MatrixView& Y, const HoldOutPlan& plan,
                                        const std::vector<std::optional<CrossMember>>& members) {
  std::vector<HeldOutMixture> mixtures;
  for (std::size_t j = 0; j < plan.parts.size(); ++j) {
    HeldOutMixture mixture{{}, take_samples(Y, plan.parts[j])};
    for (std::size_t place = 0; place < plan.run; ++place)
      mixture.members.push_back(members[plan.holder(j, place)]->held[place]);
    mixtures.push_back(std::move(mixture));
  }
  return mixtures;
}

std::shared_ptr<const Predictive> mixed(const HeldOutMixture& mixture, double covariance_factor) {
  std::vector<std::shared_ptr<const Predictive>> members;
  for (const SharedPredictive& member : mixture.members)
    members.push_back(
        std::make_shared<const SharedPredictive>(with_covariance_scaled(member, covariance_factor)));
  return std::make_shared<const MixturePredictive>(members);
}

}  // namespace

Index cross_fit_samples(Index members, Index outputs) {
  const Index held_parts = parts_held_out(members);
  return std::max(members, (members * (outputs + 1) + held_parts - 1) / held_parts);
}

CrossFit fit_cross_fitted(const MatrixView& X, const MatrixView& Y, const VectorView& given,
                          const std::vector<Index>& samples, const NetworkOptions& network_options,
                          const CrossFitOptions& options, std::uint64_t seed) {
  check_samples(X, Y, samples);
  check::require(options.members >= 2, "members", "expected at least 2: each holds out another part");
  const Index least = cross_fit_samples(options.members, Y.rows());
  check::require(static_cast<Index>(samples.size()) >= least, "samples",
                 "are " + std::to_string(samples.size()) + ", expected at least " + std::to_string(least) +
                     " for " + std::to_string(options.members) + " members");
  const HoldOutPlan plan = plan_hold_outs(samples, options.members, derived_seed(seed, kFolds));
  std::vector<std::optional<CrossMember>> members(plan.parts.size());
  parallel_for(options.members, thread_count(options.threads), [&](Index m) {
    const auto number = static_cast<std::size_t>(m);
    members[number] = fit_cross_member(X, Y, given, plan, number, network_options, options, seed);
  });

  const std::vector<HeldOutMixture> mixtures = mix_by_part(Y, plan, members);
  const double pair_factor = plan.run > 1 ? best_covariance_factor(mixtures) : 1;  // one says nothing
  CrossFit result;
  result.held = plan.parts;
  for (const HeldOutMixture& mixture : mixtures)
    result.held_predictives.push_back(mixed(mixture, pair_factor));
  result.covariance_factor = extrapolated_covariance_factor(pair_factor, options.members);
  for (auto& member : members) {
    MemberFit& fit = member->fit;
    fit.member.posterior = with_covariance_scaled(fit.member.posterior, result.covariance_factor);
    result.members.push_back(std::move(fit));
  }
  return result;
}

}  // namespace mbll
