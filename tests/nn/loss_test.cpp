#include "mbll/nn/loss.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <limits>
#include <string>
#include <tuple>

#include "mbll/error.hpp"
#include "mbll/nn/spectral.hpp"
#include "nn/reference.hpp"
#include "support/message.hpp"

namespace mbll::nn {
namespace {

using test::message_of;

using reference::all_samples;
using reference::random_matrix;

constexpr Index q = 4, p = 3, h = 6, N = 7;

Matrix symmetric(Index size, std::uint64_t seed) {
  const Matrix A = random_matrix(size, size + 2, seed);
  return A * A.transpose() / static_cast<double>(size);
}

Loss make_loss(const std::string& kind) {
  if (kind == "density") return DensityLoss{};
  if (kind == "density_precision") return DensityLoss{.precision = symmetric(p, 5)};
  if (kind == "beta") return DensityLoss{.precision = symmetric(p, 5), .beta = 0.5};
  return LastLayerLoss{random_matrix(p, h + 1, 6), 0.3 * random_matrix(h + 1, h - 1, 7), symmetric(p, 8)};
}

NetworkSpec make_spec(Activation activation, bool variance_head) {
  NetworkSpec spec;
  spec.inputs = q;
  spec.hidden = {9, 5, h};  // 9 and 5 leave a rest in every vector register
  spec.outputs = p;
  spec.activation = activation;
  spec.variance_head = variance_head;
  return spec;
}

/// All parameters non-zero, those of the ln σ² head too.
Vector random_parameters(const NetworkSpec& spec) {
  const DensityNetwork<double> network(spec, 1);
  return network.parameters() + 0.1 * random_matrix(network.parameter_count(), 1, 2);
}

void expect_close(const Vector& gradient, const Vector& expected) {
  ASSERT_EQ(gradient.size(), expected.size());
  const double scale = expected.cwiseAbs().maxCoeff();
  ASSERT_GT(scale, 0.01);
  for (Index i = 0; i < gradient.size(); ++i)
    EXPECT_NEAR(gradient[i], expected[i], 1e-6 * (std::abs(expected[i]) + 1e-3 * scale)) << "parameter " << i;
}

/// What spectral normalisation makes of the parameters, by singular value decompositions.
Vector normalised(const NetworkSpec& spec, Vector parameters, double bound) {
  Index next = 0;
  Index columns = spec.inputs;
  for (const Index width : spec.hidden) {
    Eigen::Map<Matrix> W(parameters.data() + next, width, columns);
    const double norm = Eigen::JacobiSVD<Matrix>(W).singularValues()[0];
    EXPECT_GT(norm, bound);  // otherwise the test would not see the normalisation
    W *= bound / norm;
    next += width * columns;
    columns = width;
  }
  return parameters;
}

class Gradient : public testing::TestWithParam<std::tuple<Activation, bool, std::string, bool>> {};

TEST_P(Gradient, IsThatOfThePlainlyWrittenLoss) {
  const auto& [activation, variance_head, kind, spectral] = GetParam();
  const NetworkSpec spec = make_spec(activation, variance_head);
  const Loss loss = make_loss(kind);
  const Matrix X = random_matrix(q, N, 3);
  const Matrix Y = random_matrix(p, N, 4);
  const Vector raw = random_parameters(spec);
  const double bound = 0.7;
  const Vector at = spectral ? normalised(spec, raw, bound) : raw;

  auto network = DensityNetwork<double>::from_parameters(spec, raw);
  SpectralNormalisation<double> normalisation(network.layout(), bound);
  const auto raw_padded = network.padded_parameters();
  if (spectral) {
    auto padded = raw_padded;
    for (int i = 0; i < 50; ++i)
      normalisation.apply(raw_padded, padded, SpectralNormalisation<double>::converged);
    network.set_padded_parameters(padded);
    EXPECT_LT((network.parameters() - at).norm(), 1e-12 * at.norm());
  }
  LossGradient result = loss_gradient(network, X, Y, all_samples(N), loss);
  if (spectral) {
    network.set_parameters(result.gradient);
    auto padded = network.padded_parameters();
    normalisation.pull_back(raw_padded, padded);
    network.set_padded_parameters(padded);
    result.gradient = network.parameters();
  }

  const double beta = kind == "beta" ? 0.5 : 0;
  const Vector weights = reference::beta_weights(spec, reference::Weights(spec, at), X, beta);
  const auto plain = [&](const Vector& parameters) {
    const Vector acting = spectral ? normalised(spec, parameters, bound) : parameters;
    return reference::loss(spec, reference::Weights(spec, acting), X, Y, loss, weights);
  };
  EXPECT_NEAR(result.value, plain(raw), 1e-12 * std::abs(result.value));
  expect_close(result.gradient, reference::central_differences(plain, raw));
}

std::string case_name(const testing::TestParamInfo<Gradient::ParamType>& info) {
  const auto& [activation, variance_head, kind, spectral] = info.param;
  return std::string(name_of(activation)) + (variance_head ? "_head_" : "_constant_") + kind +
         (spectral ? "_spectral" : "");
}

INSTANTIATE_TEST_SUITE_P(
    All, Gradient,
    testing::Combine(testing::ValuesIn(all_activations), testing::Bool(),
                     testing::Values("density", "density_precision", "beta", "last_layer"), testing::Bool()),
    case_name);

TEST(Loss, FixedVarianceLeavesLogVarianceAlone) {
  for (const bool head : {true, false}) {
    const NetworkSpec spec = make_spec(Activation::tanh, head);
    const Matrix X = random_matrix(q, N, 3);
    const Matrix Y = random_matrix(p, N, 4);
    const Vector at = random_parameters(spec);
    const auto network = DensityNetwork<double>::from_parameters(spec, at);
    const LossGradient result =
        loss_gradient(network, X, Y, all_samples(N), DensityLoss{.fixed_variance = true});
    // ln σ² of each sample is a constant, whatever the backbone does
    const Vector inverse = (-network.forward(X).log_variance.array()).exp();
    const auto plain = [&](const Vector& parameters) {
      const reference::Weights weights(spec, parameters);
      double total = 0;
      for (Index i = 0; i < N; ++i)
        total += inverse[i] * (Y.col(i) - reference::forward(spec, weights, X.col(i)).mean).squaredNorm();
      return total / (2 * N);
    };
    expect_close(result.gradient, reference::central_differences(plain, at));
  }
}

TEST(Loss, MeanLossIsPlainLikelihoodOverTheNamedSamples) {
  const NetworkSpec spec = make_spec(Activation::silu, true);
  const Index samples = 600;  // more than one block
  const Matrix X = random_matrix(q, samples, 3);
  const Matrix Y = random_matrix(p, samples, 4);
  const auto network = DensityNetwork<double>::from_parameters(spec, random_parameters(spec));
  std::vector<Index> odd;
  for (Index i = 1; i < samples; i += 2) odd.push_back(i);
  Matrix X_odd(q, odd.size());
  Matrix Y_odd(p, odd.size());
  for (std::size_t i = 0; i < odd.size(); ++i) {
    X_odd.col(i) = X.col(odd[i]);
    Y_odd.col(i) = Y.col(odd[i]);
  }
  const double expected = reference::loss(spec, reference::Weights(spec, network.parameters()), X_odd, Y_odd,
                                          DensityLoss{}, Vector::Ones(X_odd.cols()));
  EXPECT_NEAR(mean_loss(network, X, Y, odd, DensityLoss{.beta = 1}), expected, 1e-12);
  const auto single = DensityNetwork<float>::from_parameters(spec, network.parameters());
  EXPECT_NEAR(mean_loss(single, X, Y, odd, DensityLoss{}), expected, 1e-4);
}

TEST(Loss, NamesWhatDoesNotFit) {
  const NetworkSpec spec = make_spec(Activation::relu, true);
  const DensityNetwork<double> network(spec, 1);
  Matrix X = random_matrix(q, N, 3);
  const Matrix Y = random_matrix(p, N, 4);
  const auto with = [&](const Loss& loss) {
    return message_of([&] { (void)mean_loss(network, X, Y, all_samples(N), loss); });
  };
  EXPECT_THAT(with(DensityLoss{.precision = Matrix::Identity(2, 2)}),
              testing::HasSubstr("loss.precision: shape is 2×2, expected 3×3"));
  EXPECT_THAT(with(DensityLoss{.beta = 1.5}), testing::HasSubstr("loss.beta"));
  EXPECT_THAT(with(LastLayerLoss{Matrix::Zero(p, h), Matrix::Zero(h + 1, 2), Matrix::Identity(p, p)}),
              testing::HasSubstr("loss.mean: shape is 3×6, expected 3×7"));
  EXPECT_THAT(with(LastLayerLoss{Matrix::Zero(p, h + 1), Matrix::Zero(h, 2), Matrix::Identity(p, p)}),
              testing::HasSubstr("loss.factor"));
  EXPECT_THAT(message_of([&] { (void)mean_loss(network, X, Y, {}, DensityLoss{}); }),
              testing::HasSubstr("samples: is empty"));
  const std::vector<Index> outside{0, N};
  EXPECT_THAT(message_of([&] { (void)mean_loss(network, X, Y, outside, DensityLoss{}); }),
              testing::HasSubstr("samples: names sample 7, expected 0 to 6"));
  X(2, 5) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(with(DensityLoss{}), testing::HasSubstr("X: sample 5 (samples) is not finite"));
}

}  // namespace
}  // namespace mbll::nn
