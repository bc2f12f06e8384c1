#include "mbll/features/network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "features/support.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/parallel.hpp"

namespace mbll {
namespace {

using test::message_of;
using test::random_matrix;

nn::DensityNetwork<float> small_network() {
  nn::NetworkSpec spec;
  spec.inputs = 3;
  spec.hidden = {5, 7};
  spec.outputs = 2;
  spec.activation = nn::Activation::tanh;
  return {spec, 4};
}

TEST(NetworkBackbone, IsTheLastHiddenLayer) {
  const auto network = std::make_shared<const nn::DensityNetwork<float>>(small_network());
  const FeatureMap map = NetworkBackbone{network};
  ASSERT_EQ(map.inputs(), 3);
  ASSERT_EQ(map.features(), 7);
  const Matrix X = random_matrix(3, 11, 1);
  const Matrix Phi = map(X);
  // From the parameters as they are saved: W₁, W₂, mean head 7×2, ln σ² head 7, b₁, b₂, …
  const Vector w = network->parameters();
  const Matrix W1 = w.segment(0, 15).reshaped(5, 3);
  const Matrix W2 = w.segment(15, 35).reshaped(7, 5);
  const Vector b1 = w.segment(15 + 35 + 14 + 7, 5);
  const Vector b2 = w.segment(15 + 35 + 14 + 7 + 5, 7);
  for (Index n = 0; n < 11; ++n) {
    const Vector first = (W1 * X.col(n) + b1).array().tanh();
    const Vector second = (W2 * first + b2).array().tanh();
    EXPECT_LE((Phi.col(n) - second).cwiseAbs().maxCoeff(), 2e-6) << "float precision";
  }
}

TEST(NetworkBackbone, WithConstantItCarriesTheMeanHead) {
  const auto network = std::make_shared<const nn::DensityNetwork<float>>(small_network());
  const FeatureMap map = WithConstant{NetworkBackbone{network}};
  const Matrix X = random_matrix(3, 300, 2);
  const Matrix mean = network->mean_head() * map(X);
  EXPECT_LE((mean - network->forward(X).mean).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(NetworkBackbone, WritesBlocksFromSeveralThreads) {
  const FeatureMap map = NetworkBackbone{std::make_shared<const nn::DensityNetwork<float>>(small_network())};
  const Matrix X = random_matrix(3, 1000, 3);
  Matrix padded = Matrix::Constant(9, 1000, -77);
  parallel_for(4, 4, [&](Index i) { map.map(X.middleCols(250 * i, 250), padded.block(1, 250 * i, 7, 250)); });
  EXPECT_LE((padded.middleRows(1, 7) - map(X)).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_TRUE((padded.row(0).array() == -77).all() && (padded.row(8).array() == -77).all());
}

TEST(NetworkBackbone, RefusesNoNetwork) {
  EXPECT_EQ(message_of([] { const FeatureMap map = NetworkBackbone{}; }), "network: is null");
}

}  // namespace
}  // namespace mbll
