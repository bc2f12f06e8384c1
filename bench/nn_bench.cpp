// Small networks: training steps, a whole fit, inference, and the products that bound them.
// The cases of "training step" and "whole fit" are those of bench/peers: 8 inputs, one output, μ and ln σ²
// heads, gradients clipped at ±1, AdamW, one thread. A step here includes gathering the batch from double
// data and its share of shuffling.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "mbll/nn/kernels.hpp"
#include "mbll/nn/train.hpp"
#include "ratio_main.hpp"

namespace mbll::nn {
namespace {

constexpr Index inputs = 8;

struct Case {
  std::string name;
  std::vector<Index> hidden;
  Activation activation;
  Index batch;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"2x50-leaky-relu-32", {50, 50}, Activation::leaky_relu, 32},
                                     {"4x64-softplus-32", {64, 64, 64, 64}, Activation::softplus, 32},
                                     {"4x128-softplus-32", {128, 128, 128, 128}, Activation::softplus, 32},
                                     {"4x128-softplus-256", {128, 128, 128, 128}, Activation::softplus, 256}};
  return all;
}

struct Data {
  Matrix X, Y;
  std::vector<Index> samples;
};
Data make_data(Index count) {
  Data data{Matrix(inputs, count), Matrix(1, count), std::vector<Index>(static_cast<std::size_t>(count))};
  Rng rng = make_rng(1);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < inputs; ++j) data.X(j, i) = static_cast<double>(rng() >> 11) * 0x1.0p-53;
    data.Y(0, i) = std::sin(data.X.col(i).sum());
    data.samples[static_cast<std::size_t>(i)] = i;
  }
  return data;
}

NetworkSpec make_spec(const std::vector<Index>& hidden, Activation activation) {
  NetworkSpec spec;
  spec.inputs = inputs;
  spec.hidden = hidden;
  spec.activation = activation;
  return spec;
}

TrainingOptions make_options(Index batch, Index epochs) {
  TrainingOptions options;
  options.batch = batch;
  options.epochs = epochs;
  options.optimiser.clip_value = 1;
  return options;
}

template <class Scalar>
void training_step(benchmark::State& state, const Case& what) {
  constexpr Index steps = 16, epochs = 5;
  const Data data = make_data(steps * what.batch);
  const TrainingOptions options = make_options(what.batch, epochs);
  for (auto _ : state) {
    DensityNetwork<Scalar> network(make_spec(what.hidden, what.activation), 1);
    const auto start = std::chrono::steady_clock::now();
    (void)train(network, data.X, data.Y, data.samples, {}, DensityLoss{}, options);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(elapsed.count() / (steps * epochs));
  }
}

void whole_fit(benchmark::State& state) {
  const Data data = make_data(1000);
  for (auto _ : state) {
    DensityNetwork<float> network(make_spec({50, 50}, Activation::leaky_relu), 1);
    (void)train(network, data.X, data.Y, data.samples, {}, DensityLoss{}, make_options(32, 500));
    benchmark::DoNotOptimize(network);
  }
}

void one_sample(benchmark::State& state) {
  const DensityNetwork<float> network(make_spec({128, 128, 128, 128}, Activation::softplus), 1);
  const Matrix X = make_data(1).X;
  Matrix features(128, 1), mean(1, 1);
  Vector log_variance(1);
  DensityNetwork<float>::Workspace workspace;
  for (auto _ : state) network.forward_into(X, features, mean, log_variance, workspace);
}

void many_features(benchmark::State& state) {
  const DensityNetwork<float> network(make_spec({128, 128, 128, 128}, Activation::softplus), 1);
  const Matrix X = make_data(10000).X;
  Matrix features(128, 10000);
  DensityNetwork<float>::Workspace workspace;
  for (auto _ : state) network.features_into(X, features, workspace);
}

/// m×k times k×n, the left factor transposed or not.
struct Product {
  int m, n, k;
  bool transposed;
};

void product(benchmark::State& state, Product size, bool own) {
  const auto [m, n, k, transposed] = size;
  const int stride = static_cast<int>(kernels::padded<float>(m));
  const int a_stride = transposed ? k : stride;
  const Eigen::MatrixXf A = Eigen::MatrixXf::Random(a_stride, transposed ? m : k);
  const Eigen::MatrixXf B = Eigen::MatrixXf::Random(k, n);
  Eigen::MatrixXf C(stride, n);
  Eigen::VectorXf scratch(kernels::scratch_size<float>(k));
  const float one = 1;
  const float zero = 0;
  for (auto _ : state)
    if (own)
      kernels::multiply(m, n, k, {A.data(), a_stride, transposed}, {B.data(), 1, k}, C.data(), stride,
                        scratch.data());
    else
      sgemm_(transposed ? "T" : "N", "N", &m, &n, &k, &one, A.data(), &a_stride, B.data(), &k, &zero,
             C.data(), &stride);
}

void register_all() {
  using benchmark::RegisterBenchmark;
  for (const Case& what : cases()) {
    RegisterBenchmark(("training step/" + what.name).c_str(), training_step<float>, what)
        ->UseManualTime()
        ->MinTime(0.05);
    RegisterBenchmark(("training step, double/" + what.name).c_str(), training_step<double>, what)
        ->UseManualTime()
        ->MinTime(0.05);
  }
  RegisterBenchmark("whole fit/2x50, 1000 samples, 500 epochs", whole_fit);
  RegisterBenchmark("inference/one sample, 4x128", one_sample);
  RegisterBenchmark("inference/10000 samples, 4x128", many_features);
  for (const bool transposed : {false, true})
    for (const Product size : {Product{50, 32, 50}, {64, 32, 64}, {128, 32, 128}, {128, 256, 128}}) {
      const Product what{size.m, size.n, size.k, transposed};
      const std::string group =
          fmt::format("product {}×{}{} by {}×{}/", what.m, what.k, transposed ? "ᵀ" : "", what.k, what.n);
      RegisterBenchmark((group + "bare sgemm").c_str(), product, what, false)->MinTime(0.05);
      RegisterBenchmark((group + "own").c_str(), product, what, true)->MinTime(0.05);
    }
}

}  // namespace
}  // namespace mbll::nn

int main(int argc, char** argv) {
  mbll::nn::register_all();
  return mbll::bench::run(argc, argv);
}
