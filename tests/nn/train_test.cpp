#include "mbll/nn/train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <string>

#include "mbll/error.hpp"
#include "mbll/parallel.hpp"
#include "nn/reference.hpp"

namespace mbll::nn {
namespace {

using reference::all_samples;
using reference::random_matrix;

struct Data {
  Matrix X, Y;
  std::vector<Index> training, validation;
};

/// y = sin 3x + σ(x) ε with σ = 0.05 + 0.3 x², x in [−1, 1]; every fifth sample is for validation.
Data heteroscedastic(Index samples) {
  Data data{Matrix(1, samples), Matrix(1, samples), {}, {}};
  Rng rng = make_rng(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  for (Index i = 0; i < samples; ++i) {
    const double x = uniform(rng);
    data.X(0, i) = x;
    data.Y(0, i) = std::sin(3 * x) + (0.05 + 0.3 * x * x) * normal(rng);
    (i % 5 == 0 ? data.validation : data.training).push_back(i);
  }
  return data;
}

NetworkSpec small_spec(Index inputs = 1, Index outputs = 1) {
  NetworkSpec spec;
  spec.inputs = inputs;
  spec.hidden = {20, 12};
  spec.outputs = outputs;
  spec.activation = Activation::silu;
  return spec;
}

TrainingOptions options_for(Index epochs, double rate) {
  TrainingOptions options;
  options.epochs = epochs;
  options.optimiser.rate = rate;
  return options;
}

TEST(Train, LearnsMeanAndNoise) {
  const Data data = heteroscedastic(2000);
  DensityNetwork<float> network(small_spec(), 3);
  TrainingOptions options = options_for(150, 1e-2);
  options.schedule.kind = Schedule::one_cycle;
  const TrainingSummary summary =
      train(network, data.X, data.Y, data.training, data.validation, DensityLoss{}, options);
  EXPECT_EQ(summary.end, TrainingEnd::completed);
  EXPECT_EQ(summary.epochs, 150);
  const Matrix x = Matrix{{-0.9, -0.4, 0.1, 0.6, 0.9}};
  const NetworkOutput output = network.forward(x);
  for (Index i = 0; i < x.cols(); ++i) {
    const double sigma = 0.05 + 0.3 * x(i) * x(i);
    EXPECT_NEAR(output.mean(0, i), std::sin(3 * x(i)), 0.5 * sigma);
    EXPECT_NEAR(std::exp(0.5 * output.log_variance[i]) / sigma, 1, 0.25);
  }
  // The truth's own loss: ½ E[ln σ² + 1] over x.
  double truth = 0;
  for (int i = 0; i < 1000; ++i) truth += std::log(0.05 + 0.3 * std::pow((i + 0.5) / 1000, 2)) / 1000;
  EXPECT_LT(summary.validation_losses[summary.best_epoch], truth + 0.5 + 0.1);
}

TEST(Train, LeastSquaresWithFixedVarianceKeepsLogVariance) {
  const Data data = heteroscedastic(300);
  NetworkSpec spec = small_spec();
  spec.variance_head = false;
  DensityNetwork<float> network(spec, 3);
  const TrainingSummary summary = train(network, data.X, data.Y, data.training, {},
                                        DensityLoss{.fixed_variance = true}, options_for(100, 1e-2));
  EXPECT_EQ(network.parameters().tail(1)[0], 0);
  EXPECT_LT(2 * summary.training_losses.back(), 0.05);  // mean square error; Var y is 0.5
  EXPECT_EQ(summary.best_epoch, 99);
  EXPECT_TRUE(summary.validation_losses.empty());
}

TEST(Train, LastLayerLossLeavesTheMeanHeadAlone) {
  const Data data = heteroscedastic(300);
  DensityNetwork<float> network(small_spec(), 3);
  const Matrix head = network.mean_head();
  const LastLayerLoss loss{head, 0.1 * Matrix::Identity(13, 13), 4 * Matrix::Identity(1, 1)};
  const double before = mean_loss(network, data.X, data.Y, data.training, loss);
  (void)train(network, data.X, data.Y, data.training, {}, loss, options_for(20, 1e-3));
  EXPECT_EQ(network.mean_head(), head);
  EXPECT_LT(mean_loss(network, data.X, data.Y, data.training, loss), before - 0.1);
}

TEST(Train, SameArgumentsSameBits) {
  const Data data = heteroscedastic(333);
  const auto run = [&](std::uint64_t seed) {
    DensityNetwork<float> network(small_spec(), 3);
    TrainingOptions options = options_for(7, 1e-3);
    options.seed = seed;
    (void)train(network, data.X, data.Y, data.training, data.validation, DensityLoss{.beta = 0.5}, options);
    return network.parameters();
  };
  const Vector alone = run(5);
  EXPECT_NE(run(6), alone);
  std::vector<Vector> together(4);
  parallel_for(4, 4, [&](Index i) { together[i] = run(5); });
  for (const Vector& parameters : together) EXPECT_EQ(parameters, alone);
}

TEST(Train, OneEpochIsTheStepsOfItsBatches) {
  // Batches of 4 from 10 samples: 4, 4, 2. With momentum 0 and one batch per epoch the order does not matter.
  const Data data = heteroscedastic(10);
  const auto samples = all_samples(10);
  NetworkSpec spec = small_spec();
  TrainingOptions options = options_for(1, 0.1);
  options.optimiser = {.method = Method::sgd, .rate = 0.1, .weight_decay = 0, .momentum = 0};
  options.batch = 10;
  DensityNetwork<double> network(spec, 3);
  const LossGradient start = loss_gradient(network, data.X, data.Y, samples, DensityLoss{});
  const Vector expected = network.parameters() - 0.1 * start.gradient;
  const TrainingSummary summary = train(network, data.X, data.Y, samples, {}, DensityLoss{}, options);
  EXPECT_LT((network.parameters() - expected).norm(), 1e-12);
  EXPECT_NEAR(summary.training_losses[0], start.value, 1e-12);

  // At a vanishing rate the epoch's loss is the mean over all samples: the partial batch counts by its size.
  DensityNetwork<double> still(spec, 3);
  options.batch = 4;
  options.optimiser.rate = 1e-12;
  EXPECT_NEAR(train(still, data.X, data.Y, samples, {}, DensityLoss{}, options).training_losses[0],
              start.value, 1e-9);
}

TEST(Train, EarlyStoppingKeepsTheBestWeights) {
  // Pure noise: the network soon learns the training samples by heart and the validation loss rises.
  const Matrix X = random_matrix(3, 60, 1);
  const Matrix Y = random_matrix(2, 60, 2);
  std::vector<Index> training = all_samples(40);
  std::vector<Index> validation;
  for (Index i = 40; i < 60; ++i) validation.push_back(i);
  DensityNetwork<float> network(small_spec(3, 2), 3);
  TrainingOptions options = options_for(1000, 5e-3);
  options.patience = 15;
  const TrainingSummary summary = train(network, X, Y, training, validation, DensityLoss{}, options);
  ASSERT_EQ(summary.end, TrainingEnd::early_stopped);
  EXPECT_EQ(summary.epochs, summary.best_epoch + 16);
  EXPECT_EQ(summary.validation_losses.size(), static_cast<std::size_t>(summary.epochs));
  const double best = summary.validation_losses[summary.best_epoch];
  for (const double loss : summary.validation_losses) EXPECT_GE(loss, best);
  EXPECT_LT(best, summary.validation_losses.back());
  EXPECT_NEAR(mean_loss(network, X, Y, validation, DensityLoss{}), best, 1e-6);
}

TEST(Train, PlateauReducesTheRate) {
  const Matrix X = random_matrix(3, 60, 1);
  const Matrix Y = random_matrix(1, 60, 2);
  DensityNetwork<float> network(small_spec(3, 1), 3);
  TrainingOptions options = options_for(120, 5e-3);
  options.schedule.kind = Schedule::plateau;
  options.schedule.patience = 3;
  options.schedule.factor = 0.5;
  double last_rate = 0;
  options.progress = [&](const EpochReport& report) {
    last_rate = report.rate;
    return true;
  };
  const auto samples = all_samples(60);
  const std::span<const Index> all(samples);
  (void)train(network, X, Y, all.first(40), all.subspan(40), DensityLoss{}, options);
  EXPECT_LT(last_rate, 1e-4);
}

TEST(Train, CallbackSeesEveryEpochAndCanStop) {
  const Data data = heteroscedastic(100);
  DensityNetwork<float> network(small_spec(), 3);
  TrainingOptions options = options_for(50, 1e-3);
  std::vector<EpochReport> reports;
  options.progress = [&](const EpochReport& report) {
    reports.push_back(report);
    return report.epoch < 4;
  };
  const TrainingSummary summary =
      train(network, data.X, data.Y, data.training, data.validation, DensityLoss{}, options);
  EXPECT_EQ(summary.end, TrainingEnd::stopped_by_callback);
  ASSERT_EQ(reports.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(reports[i].epoch, static_cast<Index>(i));
    EXPECT_EQ(reports[i].training_loss, summary.training_losses[i]);
    EXPECT_EQ(reports[i].validation_loss, summary.validation_losses[i]);
    EXPECT_EQ(reports[i].rate, 1e-3);
  }
  EXPECT_THAT(summary.to_string(), testing::HasSubstr("stopped_by_callback after 5 epochs"));
}

class Recovery : public testing::TestWithParam<std::tuple<Method, double>> {};

TEST_P(Recovery, FromARateThatIsFarTooHigh) {
  const auto& [method, spectral_bound] = GetParam();
  const Data data = heteroscedastic(200);
  NetworkSpec spec = small_spec();
  spec.spectral_bound = spectral_bound;
  DensityNetwork<float> network(spec, 3);
  const double start = mean_loss(network, data.X, data.Y, data.validation, DensityLoss{});
  TrainingOptions options = options_for(30, 1e6);
  options.optimiser.method = method;
  const TrainingSummary summary =
      train(network, data.X, data.Y, data.training, data.validation, DensityLoss{}, options);
  EXPECT_EQ(summary.end, TrainingEnd::completed) << summary.to_string();
  EXPECT_GT(summary.recoveries.size(), 3U);
  EXPECT_TRUE(network.parameters().allFinite());
  // Never worse than the start, whose weights the spectral bound has changed.
  if (spectral_bound == 0)
    EXPECT_LE(mean_loss(network, data.X, data.Y, data.validation, DensityLoss{}), start);
}
INSTANTIATE_TEST_SUITE_P(All, Recovery,
                         testing::Combine(testing::Values(Method::adamw, Method::sgd),
                                          testing::Values(0, 2)));

TEST(Train, GivesUpWithTheLastGoodWeights) {
  const Data data = heteroscedastic(200);
  DensityNetwork<float> network(small_spec(), 3);
  const Vector start = network.parameters();
  TrainingOptions options = options_for(30, 1e30);
  options.recoveries = 2;
  const TrainingSummary summary =
      train(network, data.X, data.Y, data.training, data.validation, DensityLoss{}, options);
  EXPECT_EQ(summary.end, TrainingEnd::diverged);
  EXPECT_EQ(summary.recoveries.size(), 2U);
  EXPECT_EQ(summary.best_epoch, -1);
  EXPECT_EQ(network.parameters(), start);
}

TEST(Train, ConstantTargetsStayFinite) {
  Data data = heteroscedastic(200);
  data.Y.setConstant(3);
  DensityNetwork<float> network(small_spec(), 3);
  const TrainingSummary summary =
      train(network, data.X, data.Y, data.training, data.validation, DensityLoss{}, options_for(300, 1e-2));
  EXPECT_TRUE(network.parameters().allFinite()) << summary.to_string();
  EXPECT_NEAR(network.forward(data.X).mean(0, 0), 3, 0.1);
}

TEST(Train, SpectralBoundHolds) {
  const Data data = heteroscedastic(500);
  NetworkSpec spec = small_spec();
  spec.spectral_bound = 1.5;
  DensityNetwork<float> network(spec, 3);
  TrainingOptions options = options_for(50, 1e-2);
  const TrainingSummary summary =
      train(network, data.X, data.Y, data.training, data.validation, DensityLoss{}, options);
  EXPECT_LT(summary.validation_losses[summary.best_epoch], summary.validation_losses[0]);
  const reference::Weights weights(spec, network.parameters());
  double largest = 0;
  for (const Matrix& W : weights.W) {
    const double norm = Eigen::JacobiSVD<Matrix>(W).singularValues()[0];
    EXPECT_LE(norm, 1.5 * (1 + 1e-4));
    largest = std::max(largest, norm);
  }
  EXPECT_GT(largest, 1.4);  // the bound was at work
}

template <class Change>
std::string message_with(Change change) {
  Data data = heteroscedastic(20);
  TrainingOptions options = options_for(3, 1e-3);
  change(data, options);
  DensityNetwork<float> network(small_spec(), 3);
  const Vector before = network.parameters();
  try {
    (void)train(network, data.X, data.Y, data.training, data.validation, DensityLoss{}, options);
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(network.parameters(), before);
    return error.what();
  }
  return "no error";
}

TEST(Train, NamesBadInput) {
  using testing::HasSubstr;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_with([](Data& d, TrainingOptions&) { d.training.clear(); }),
              HasSubstr("training_samples: is empty"));
  EXPECT_THAT(message_with([](Data& d, TrainingOptions& o) {
                d.validation.clear();
                o.patience = 3;
              }),
              HasSubstr("validation_samples: is empty"));
  EXPECT_THAT(message_with([](Data& d, TrainingOptions& o) {
                d.validation.clear();
                o.schedule.kind = Schedule::plateau;
              }),
              HasSubstr("validation_samples: is empty"));
  EXPECT_THAT(message_with([](Data& d, TrainingOptions&) { d.validation.clear(); }), "no error");
  EXPECT_THAT(message_with([&](Data& d, TrainingOptions&) { d.X(0, 7) = nan; }), HasSubstr("X: sample 7"));
  EXPECT_THAT(message_with([&](Data& d, TrainingOptions&) { d.Y(0, 5) = nan; }),
              HasSubstr("Y: sample 5 (validation_samples)"));
  EXPECT_THAT(message_with([](Data& d, TrainingOptions&) { d.X = Matrix::Zero(2, 20); }),
              HasSubstr("X: shape is 2×20, expected 1×20"));
  EXPECT_THAT(message_with([](Data& d, TrainingOptions&) { d.Y = Matrix::Zero(1, 19); }),
              HasSubstr("Y: shape is 1×19, expected 1×20"));
  EXPECT_THAT(message_with([](Data& d, TrainingOptions&) { d.training.push_back(20); }),
              HasSubstr("training_samples: names sample 20"));
  EXPECT_THAT(message_with([](Data&, TrainingOptions& o) { o.optimiser.rate = 0; }), HasSubstr("rate: is 0"));
  EXPECT_THAT(message_with([](Data&, TrainingOptions& o) { o.epochs = 0; }), HasSubstr("epochs"));
  EXPECT_THAT(message_with([](Data&, TrainingOptions& o) { o.batch = 0; }), HasSubstr("batch"));
  EXPECT_THAT(message_with([](Data&, TrainingOptions& o) { o.patience = -1; }), HasSubstr("patience"));
  EXPECT_THAT(message_with([](Data&, TrainingOptions& o) { o.schedule.factor = 2; }),
              HasSubstr("schedule.factor"));
}

}  // namespace
}  // namespace mbll::nn
