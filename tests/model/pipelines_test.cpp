#include "mbll/model/pipelines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "mbll/bayes/mixture.hpp"
#include "mbll/bayes/mixture_width.hpp"
#include "mbll/data/synthetic.hpp"
#include "mbll/error.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/polynomial.hpp"
#include "mbll/metrics/metrics.hpp"
#include "mbll/model/fit.hpp"

namespace mbll {
namespace {

std::vector<Index> first_samples(Index count) {
  std::vector<Index> samples(static_cast<std::size_t>(count));
  std::iota(samples.begin(), samples.end(), Index{0});
  return samples;
}

NetworkOptions small_network() {
  NetworkOptions network;
  network.hidden = {16, 12};
  network.activation = nn::Activation::silu;
  network.training.epochs = 40;
  network.training.optimiser.rate = 1e-2;
  network.training.schedule.kind = nn::Schedule::one_cycle;
  return network;
}

TEST(CrossFit, GivesTheSameBitsForAnyNumberOfThreads) {
  const SyntheticSet data = multivariate_heteroscedastic(150, 3);
  CrossFitOptions options;
  options.members = 3;
  options.threads = 1;
  const CrossFit one =
      fit_cross_fitted(data.X, data.Y, Vector(), first_samples(150), small_network(), options, 7);
  options.threads = 2;
  const CrossFit two =
      fit_cross_fitted(data.X, data.Y, Vector(), first_samples(150), small_network(), options, 7);
  ASSERT_EQ(one.members.size(), 3U);
  for (std::size_t m = 0; m < 3; ++m) {
    const Matrix a = one.members[m].member.predict(data.X).mean();
    EXPECT_EQ(a, two.members[m].member.predict(data.X).mean());
    EXPECT_EQ(one.members[m].log_evidence, two.members[m].log_evidence);
  }
  // Another seed is another fit: the comparison above can fail.
  const CrossFit other =
      fit_cross_fitted(data.X, data.Y, Vector(), first_samples(150), small_network(), options, 8);
  EXPECT_NE(one.members[0].log_evidence, other.members[0].log_evidence);
}

TEST(CrossFit, GivesTheSameBitsAgainAndAgainOnTwoThreads) {
  // Catches a BLAS that is not safe to call from two threads at once.
  const SyntheticSet data = interpolation_heteroscedastic(30, 3);
  CrossFitOptions options;
  options.threads = 2;
  NetworkOptions network = small_network();
  network.training.epochs = 10;
  const auto run = [&] {
    return fit_cross_fitted(data.X, data.Y, Vector(), first_samples(30), network, options, 7)
        .members.back()
        .log_evidence;
  };
  const double first = run();
  for (int i = 0; i < 60; ++i) ASSERT_EQ(run(), first) << "run " << i;
}

TEST(CrossFit, JudgesEverySampleByTheTwoThatHeldItOutAndSeesAllInTheEnd) {
  const SyntheticSet data = interpolation_heteroscedastic(90, 2);
  CrossFitOptions options;
  for (const Index members : {2, 3, 4}) {
    options.members = members;
    const CrossFit fit =
        fit_cross_fitted(data.X, data.Y, Vector(), first_samples(90), small_network(), options, 1);
    std::vector<Index> held;
    for (std::size_t m = 0; m < fit.members.size(); ++m) {
      held.insert(held.end(), fit.held[m].begin(), fit.held[m].end());
      const auto& mixture = dynamic_cast<const MixturePredictive&>(*fit.held_predictives[m]);
      EXPECT_EQ(mixture.members().size(), members == 2 ? 1U : 2U);
      EXPECT_EQ(mixture.points(), static_cast<Index>(fit.held[m].size()));
      EXPECT_EQ(fit.members[m].member.posterior.samples(), 90);
      // Held-out parts of each member: one of two, or two of all.
      EXPECT_NEAR(static_cast<double>(fit.members[m].evidence_samples),
                  members == 2 ? 45 : 180.0 / static_cast<double>(members), 1);
    }
    std::sort(held.begin(), held.end());
    EXPECT_EQ(held, first_samples(90));
    EXPECT_EQ(fit.covariance_factor == 1, members == 2);
  }
}

TEST(CrossFit, WidthOfTheMixtureIsThatOfItsPairsCarriedOnToAllMembers) {
  const SyntheticSet data = interpolation_heteroscedastic(150, 2);
  CrossFitOptions options;
  options.members = 5;
  const CrossFit fit =
      fit_cross_fitted(data.X, data.Y, Vector(), first_samples(150), small_network(), options, 1);
  // The pairs have been scaled to their best: nothing is left to correct.
  std::vector<HeldOutMixture> pairs;
  for (std::size_t j = 0; j < fit.held.size(); ++j) {
    HeldOutMixture pair{{}, Matrix(1, static_cast<Index>(fit.held[j].size()))};
    for (std::size_t i = 0; i < fit.held[j].size(); ++i)
      pair.Y(0, static_cast<Index>(i)) = data.Y(0, fit.held[j][i]);
    for (const auto& member : dynamic_cast<const MixturePredictive&>(*fit.held_predictives[j]).members())
      pair.members.push_back(dynamic_cast<const SharedPredictive&>(*member));
    pairs.push_back(std::move(pair));
  }
  EXPECT_NEAR(best_covariance_factor(pairs), 1, 1e-3);
  EXPECT_LT(fit.covariance_factor, 1);
  // V was 1: one output, its scale in σ. Now it is the factor.
  for (const MemberFit& member : fit.members)
    EXPECT_NEAR(member.member.posterior.noise_covariance()(0, 0), fit.covariance_factor, 1e-12);
  const double of_pairs = pairs[0].members[0].row_covariance()(0, 0);
  EXPECT_NEAR(fit.covariance_factor, extrapolated_covariance_factor(of_pairs, 5), 1e-12);
}

TEST(CrossFit, NamesTheFewestSamples) {
  EXPECT_EQ(cross_fit_samples(2, 1), 4);
  EXPECT_EQ(cross_fit_samples(20, 1), 20);
  EXPECT_EQ(cross_fit_samples(20, 3), 40);
  const SyntheticSet data = interpolation_heteroscedastic(19, 2);
  EXPECT_THROW((void)fit_cross_fitted(data.X, data.Y, Vector(), first_samples(19), small_network(), {}, 1),
               InvalidArgument);
}

TEST(FitNetwork, StatisticsOnTwoThreadsAreThoseOfOne) {
  const SyntheticSet data = interpolation_heteroscedastic(200, 5);
  const auto fit_with = [&](int threads) {
    return fit_network(data.X, data.Y, Vector(), first_samples(160), {170, 180, 190}, small_network(), {}, {},
                       3, threads);
  };
  EXPECT_EQ(fit_with(1).member.posterior.mean(), fit_with(2).member.posterior.mean());
}

TEST(FitNetwork, EndToEndRaisesTheEvidenceOfPretraining) {
  const SyntheticSet data = interpolation_heteroscedastic(200, 5);
  EndToEndOptions rounds;
  rounds.rounds = 5;
  rounds.epochs = 10;
  const MemberFit frozen =
      fit_network(data.X, data.Y, Vector(), first_samples(200), {}, small_network(), {}, {}, 3);
  const MemberFit tuned =
      fit_network(data.X, data.Y, Vector(), first_samples(200), {}, small_network(), {}, rounds, 3);
  EXPECT_EQ(frozen.rounds.size(), 0U);
  ASSERT_GE(tuned.rounds.size(), 2U);
  EXPECT_NEAR(tuned.rounds.front().log_evidence, frozen.log_evidence, 1e-6 * std::abs(frozen.log_evidence));
  EXPECT_GT(tuned.log_evidence, frozen.log_evidence);
}

TEST(FitNetwork, RefusesTooFewSamplesAndBadData) {
  const SyntheticSet data = multivariate_heteroscedastic(30, 5);
  EXPECT_THROW((void)fit_network(data.X, data.Y, Vector(), {0, 1}, {}, small_network(), {}, {}, 3),
               InvalidArgument);
  Matrix broken = data.X;
  broken(0, 4) = std::nan("");
  EXPECT_THROW((void)fit_network(broken, data.Y, Vector(), first_samples(30), {}, small_network(), {}, {}, 3),
               InvalidArgument);
  NetworkOptions checkpoints = small_network();
  checkpoints.checkpoint_epochs = 5;
  EXPECT_THROW((void)fit_network(data.X, data.Y, Vector(), first_samples(30), {}, checkpoints, {}, {}, 3),
               InvalidArgument);
}

TEST(Fit, FixedFeaturesRecoverAPolynomial) {
  Rng rng = make_rng(4);
  std::normal_distribution<double> normal;
  FitData data;
  data.X = Matrix::NullaryExpr(2, 300, [&] { return 10 + 3 * normal(rng); });
  data.Y.resize(1, 300);
  for (Index i = 0; i < 300; ++i) data.Y(0, i) = 5 + data.X(0, i) * data.X(1, i) + 0.5 * normal(rng);
  FitOptions options;
  options.features = FeatureKind::polynomial;
  options.degree = 2;
  const Model model = fit(data, options);
  const auto predictive = model.predict(data.X);
  // σ̂² of 294 degrees of freedom: relative standard error √(2/294)/2 = 4 %; five of them.
  EXPECT_NEAR(std::sqrt(predictive->aleatoric_variance()(0, 0)), 0.5, 0.5 * 5 * 0.04);
  EXPECT_LT(rmse(*predictive, data.Y), 0.6);
  EXPECT_TRUE(model.report().converged);
}

TEST(Fit, ChoosesWhatIsLeftToItByTheNumberOfSamples) {
  const auto features_of_fit = [](Index samples, const FitOptions& options) {
    const SyntheticSet set = interpolation_heteroscedastic(samples, 1);
    FitData data;
    data.X = set.X;
    data.Y = set.Y;
    return fit(data, options).report().features;
  };
  FitOptions options;
  options.members = 2;
  options.epochs = 1;
  EXPECT_EQ(features_of_fit(499, options), "50,50 silu network");
  EXPECT_EQ(features_of_fit(500, options), "50,50,50 silu network");
  EXPECT_EQ(features_of_fit(4000, options), "50,50,50,50 silu network");
  options.hidden = {7};
  EXPECT_EQ(features_of_fit(500, options), "7 silu network");
  options.hidden = {7, 0};
  EXPECT_THROW((void)features_of_fit(500, options), InvalidArgument);
}

TEST(Fit, StopsTheDefaultTrainingAfterEnoughSteps) {
  const SyntheticSet set = interpolation_heteroscedastic(1000, 2);
  FitData data;
  data.X = set.X;
  data.Y = set.Y;
  FitOptions options;
  options.hidden = {2};
  options.train = TrainKind::two_phase;
  options.batch = 1;  // 100 000 steps are then 100 epochs, fewer than 1000 samples get otherwise
  EXPECT_EQ(fit(data, options).report().training_loss.size(), 100U);
  options.epochs = 3;
  EXPECT_EQ(fit(data, options).report().training_loss.size(), 3U);
}

TEST(Fit, EvidenceCountsEverySampleOnce) {
  const SyntheticSet set = interpolation_heteroscedastic(60, 1);
  FitData data;
  data.X = set.X;
  data.Y = set.Y;
  FitOptions options;
  options.hidden = {8};
  options.epochs = 5;
  options.members = 4;
  EXPECT_EQ(fit(data, options).report().evidence_samples, 60);
}

TEST(Fit, DefaultIsCalibratedOnTheHeteroscedasticSet) {
  const SyntheticSet train = multivariate_heteroscedastic(600, 1);
  const SyntheticSet test = multivariate_heteroscedastic(2000, 2);
  FitData data;
  data.X = train.X;
  data.Y = train.Y;
  FitOptions options;
  options.hidden = {24, 24};
  options.epochs = 120;
  options.members = 8;
  const Model model = fit(data, options);
  const auto predictive = model.predict(test.X);
  const Evaluation scores = evaluate(*predictive, test.Y);
  // Loose: a share of 0.95 estimated from 2000 samples has a standard error of 0.005, and the model is not
  // the truth.
  EXPECT_NEAR(scores.joint.coverage(2), 0.95, 0.04);
  EXPECT_LT(scores.joint.ece, 0.08);
  const Vector truth = test.sigma(test.X);
  const Vector found = predictive->aleatoric_variance().row(0).cwiseSqrt().transpose();
  const Vector error = (found.cwiseQuotient(truth).array() - 1).abs();
  std::vector<double> sorted(error.begin(), error.end());
  std::nth_element(sorted.begin(), sorted.begin() + 1000, sorted.end());
  EXPECT_LT(sorted[1000], 0.25);
  EXPECT_GT(model.report().validation_samples, 0);
}

TEST(Fit, UpdateEqualsConditioningOnAllAndMovesThePrediction) {
  const SyntheticSet data = interpolation_heteroscedastic(120, 4);
  FitOptions options;
  options.features = FeatureKind::kernels;
  options.kernels = 15;
  options.lengthscale = 0.5;
  FitData half;
  half.X = data.X.leftCols(60);
  half.Y = data.Y.leftCols(60);
  const Model model = fit(half, options);
  const Model once = model.update(data.X.rightCols(60), data.Y.rightCols(60));
  const Model twice = model.update(data.X.middleCols(60, 25), data.Y.middleCols(60, 25))
                          .update(data.X.rightCols(35), data.Y.rightCols(35));
  const Matrix a = once.predict(data.X)->mean();
  EXPECT_LT((a - twice.predict(data.X)->mean()).norm(), 1e-9 * a.norm());
  EXPECT_GT((a - model.predict(data.X)->mean()).norm(), 1e-6 * a.norm());
  EXPECT_EQ(once.report().samples, 120);
}

TEST(Fit, NamesWhatIsWrongWithTheData) {
  const auto message = [](FitData data, FitOptions options = {}) -> std::string {
    try {
      (void)fit(std::move(data), options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "no error";
  };
  FitData data;
  data.X = Matrix::Random(2, 50);
  data.Y = Matrix::Constant(1, 50, 3);
  data.output_names = {"load"};
  EXPECT_THAT(message(data), testing::StartsWith("load: is constant (3)"));
  data.Y = Matrix::Random(1, 40);
  EXPECT_THAT(message(data), testing::HasSubstr("shape is 1×40, expected 1×50"));
  data.Y = Matrix::Random(1, 50);
  FitOptions options;
  options.noise = NoiseKind::given;
  EXPECT_THAT(message(data, options), testing::StartsWith("noise"));
  data.X = Matrix::Random(2, 4);
  data.Y = Matrix::Random(1, 4);
  EXPECT_THAT(message(data), testing::StartsWith("samples: are 4"));
}

TEST(Fit, StopsWhenAsked) {
  const SyntheticSet data = interpolation_heteroscedastic(120, 4);
  FitData samples;
  samples.X = data.X;
  samples.Y = data.Y;
  FitOptions options;
  options.hidden = {8};
  for (const FeatureKind features : {FeatureKind::mlp, FeatureKind::kernels}) {
    options.features = features;
    double last = 0;
    options.progress = [&last](const FitProgress& progress) {
      last = progress.fraction;
      return progress.fraction < 0.1;
    };
    EXPECT_THROW((void)fit(samples, options), Cancelled);
    EXPECT_LT(last, 0.3) << name_of(features);
  }
}

}  // namespace
}  // namespace mbll
