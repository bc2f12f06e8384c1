#include "mbll/nn/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "mbll/error.hpp"
#include "nn/reference.hpp"
#include "support/message.hpp"

namespace mbll::nn {
namespace {

using test::message_of;

using reference::random_matrix;

NetworkSpec make_spec(bool variance_head) {
  NetworkSpec spec;
  spec.inputs = 3;
  spec.hidden = {11, 5};
  spec.outputs = 2;
  spec.activation = Activation::gelu;
  spec.variance_head = variance_head;
  return spec;
}

TEST(DensityNetwork, IsTheOneWrittenDownPlainly) {
  for (const bool head : {true, false}) {
    const NetworkSpec spec = make_spec(head);
    const Index count = 3 * 11 + 11 * 5 + 5 * (head ? 3 : 2) + 11 + 5 + 3;
    const Vector parameters = random_matrix(count, 1, 1);
    const auto network = DensityNetwork<double>::from_parameters(spec, parameters);
    EXPECT_EQ(network.parameter_count(), count);
    EXPECT_EQ(network.parameters(), parameters);
    const Matrix X = random_matrix(3, 300, 2);  // more than one block
    const NetworkOutput output = network.forward(X);
    const reference::Weights weights(spec, parameters);
    for (Index i = 0; i < X.cols(); ++i) {
      const reference::Output expected = reference::forward(spec, weights, X.col(i));
      EXPECT_LT((output.features.col(i) - expected.features).norm(), 1e-12);
      EXPECT_LT((output.mean.col(i) - expected.mean).norm(), 1e-12);
      EXPECT_NEAR(output.log_variance[i], expected.log_variance, 1e-12);
    }
    EXPECT_EQ(network.features(X), output.features);
    Matrix phi(6, X.cols());
    phi << output.features, Matrix::Ones(1, X.cols());
    EXPECT_LT((network.mean_head() * phi - output.mean).norm(), 1e-10);

    const auto single = DensityNetwork<float>::from_parameters(spec, parameters);
    const NetworkOutput rounded = single.forward(X);
    EXPECT_LT((rounded.mean - output.mean).norm(), 1e-5 * output.mean.norm());
    EXPECT_LT((rounded.log_variance - output.log_variance).norm(), 1e-5 * output.log_variance.norm());
    EXPECT_EQ(DensityNetwork<float>::from_parameters(spec, single.parameters()).parameters(),
              single.parameters());
  }
}

TEST(DensityNetwork, AnyNumberOfSamplesAndNone) {
  const DensityNetwork<float> network(make_spec(true), 1);
  const Matrix X = random_matrix(3, 140, 2);
  const NetworkOutput all = network.forward(X);
  DensityNetwork<float>::Workspace workspace;
  for (const Index n : {0, 1, 2, 7, 128, 129, 3}) {
    NetworkOutput part{Matrix(5, n), Matrix(2, n), Vector(n)};
    network.forward_into(X.leftCols(n), part.features, part.mean, part.log_variance, workspace);
    EXPECT_LT((part.mean - all.mean.leftCols(n)).norm(), 1e-5) << n;
    EXPECT_LT((part.features - all.features.leftCols(n)).norm(), 1e-5) << n;
  }
}

TEST(DensityNetwork, InitialisationFollowsTheSeedAndTheFan) {
  NetworkSpec spec = make_spec(true);
  spec.hidden = {300, 200};
  const DensityNetwork<double> network(spec, 4);
  EXPECT_EQ(network.parameters(), DensityNetwork<double>(spec, 4).parameters());
  EXPECT_NE(network.parameters(), DensityNetwork<double>(spec, 5).parameters());
  const auto variance = [](const Matrix& W) { return W.squaredNorm() / static_cast<double>(W.size()); };
  const reference::Weights he(spec, network.parameters());
  EXPECT_NEAR(variance(he.W[1]) * 300 / 2, 1, 0.05);  // He: 2/fan_in; 60000 draws
  EXPECT_TRUE(he.log_variance.isZero());
  EXPECT_EQ(he.log_variance_bias, 0);
  EXPECT_GT(he.b[0].norm(), 0);
  spec.initialisation = Initialisation::xavier;
  const reference::Weights xavier(spec, DensityNetwork<double>(spec, 4).parameters());
  EXPECT_NEAR(variance(xavier.W[1]) * 500 / 2, 1, 0.05);
}

TEST(DensityNetwork, NamesBadInput) {
  using testing::HasSubstr;
  const auto built = [](auto change) {
    NetworkSpec spec = make_spec(true);
    change(spec);
    return message_of([&] { DensityNetwork<float>(spec, 1); });
  };
  EXPECT_THAT(built([](NetworkSpec& spec) { spec.inputs = 0; }), HasSubstr("inputs: is 0"));
  EXPECT_THAT(built([](NetworkSpec& spec) { spec.outputs = -1; }), HasSubstr("outputs: is -1"));
  EXPECT_THAT(built([](NetworkSpec& spec) { spec.hidden = {}; }), HasSubstr("hidden: is empty"));
  EXPECT_THAT(built([](NetworkSpec& spec) { spec.hidden = {3, 0}; }), HasSubstr("hidden: has a width of 0"));
  EXPECT_THAT(built([](NetworkSpec& spec) { spec.spectral_bound = -1; }), HasSubstr("spectral_bound: is -1"));
  const NetworkSpec spec = make_spec(true);
  DensityNetwork<float> network(spec, 1);
  EXPECT_THAT(message_of([&] { (void)network.features(Matrix::Zero(4, 2)); }),
              HasSubstr("X: shape is 4×2, expected 3×2"));
  EXPECT_THAT(message_of([&] { network.set_parameters(Vector::Zero(3)); }),
              HasSubstr("parameters: has 3 entries"));
  Vector parameters = network.parameters();
  parameters[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of([&] { network.set_parameters(parameters); }), HasSubstr("parameters"));
}

TEST(Activation, NamesGoBothWays) {
  for (const Activation activation : all_activations)
    EXPECT_EQ(activation_from_name(name_of(activation)), activation);
  EXPECT_THAT(
      message_of([] { (void)activation_from_name("sine"); }),
      testing::StrEq("activation: is 'sine', expected one of leaky_relu, relu, softplus, tanh, silu, gelu"));
  EXPECT_EQ(initialisation_from_name("xavier"), Initialisation::xavier);
  EXPECT_THROW((void)initialisation_from_name("zero"), InvalidArgument);
}

}  // namespace
}  // namespace mbll::nn
