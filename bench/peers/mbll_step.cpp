// Our side of the comparison; see torch_step.py. Prints "name microseconds" per case and "whole-fit seconds".
//   mbll_step [case]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "mbll/nn/train.hpp"

namespace {

using mbll::Index;
using mbll::Matrix;
using mbll::nn::Activation;

using Clock = std::chrono::steady_clock;

constexpr Index inputs = 8;

struct Case {
  std::string name;
  std::vector<Index> hidden;
  Activation activation;
  Index batch;
};

struct Data {
  Matrix X, Y;
  std::vector<Index> samples;
};

Data make_data(Index count) {
  Data data{Matrix(inputs, count), Matrix(1, count), std::vector<Index>(static_cast<std::size_t>(count))};
  mbll::Rng rng = mbll::make_rng(1);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < inputs; ++j) data.X(j, i) = static_cast<double>(rng() >> 11) * 0x1.0p-53;
    data.Y(0, i) = std::sin(data.X.col(i).sum());
    data.samples[static_cast<std::size_t>(i)] = i;
  }
  return data;
}

/// 8 inputs, one output, gradients clipped at ±1, AdamW; `progress` is called after every epoch.
void run_training(const Case& what, const Data& data, Index epochs,
                  const std::function<bool(const mbll::nn::EpochReport&)>& progress) {
  mbll::nn::NetworkSpec spec;
  spec.inputs = inputs;
  spec.hidden = what.hidden;
  spec.activation = what.activation;
  mbll::nn::DensityNetwork<float> network(spec, 1);
  mbll::nn::TrainingOptions options;
  options.batch = what.batch;
  options.epochs = epochs;
  options.optimiser.clip_value = 1;
  options.progress = progress;
  (void)train(network, data.X, data.Y, data.samples, {}, mbll::nn::DensityLoss{}, options);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Minimum over many short epochs: one that nothing else interrupted. A step includes gathering its batch
/// from double data and its share of what an epoch costs.
double step_time(const Case& what) {
  const Index steps = what.batch > 32 ? 4 : 16;
  const Data data = make_data(steps * what.batch);
  double best = std::numeric_limits<double>::infinity();
  const Clock::time_point start = Clock::now();
  Clock::time_point last = start;
  run_training(what, data, 10'000'000, [&](const mbll::nn::EpochReport& report) {
    if (report.epoch > 0) best = std::min(best, seconds_since(last) / static_cast<double>(steps));
    last = Clock::now();
    return seconds_since(start) < 3;
  });
  return best;
}

/// 500 epochs of 1000 samples, from the fastest epoch as the peer's time is from its fastest steps.
double fit_time() {
  const Case fit{"", {50, 50}, Activation::leaky_relu, 32};
  const Data data = make_data(1000);
  double best = std::numeric_limits<double>::infinity();
  Clock::time_point last = Clock::now();
  run_training(fit, data, 2000, [&](const mbll::nn::EpochReport&) {
    best = std::min(best, seconds_since(last));
    last = Clock::now();
    return true;
  });
  return 500 * best;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Index> four_64(4, 64);
  const std::vector<Index> four_128(4, 128);
  const std::string wanted = argc > 1 ? argv[1] : "";
  for (const Case& what : {Case{"2x50-leaky-relu-32", {50, 50}, Activation::leaky_relu, 32},
                           Case{"4x64-softplus-32", four_64, Activation::softplus, 32},
                           Case{"4x128-softplus-32", four_128, Activation::softplus, 32},
                           Case{"4x128-softplus-256", four_128, Activation::softplus, 256}})
    if (wanted.empty() || wanted == what.name)
      std::printf("%s %.3f\n", what.name.c_str(), 1e6 * step_time(what));
  if (!wanted.empty() && wanted != "whole-fit") return 0;
  std::printf("whole-fit %.6f\n", fit_time());
}
