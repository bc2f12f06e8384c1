// The training step of torch_step.py by LibTorch's C++ front end, one thread. Prints "name microseconds" per
// case.
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr int64_t inputs = 8;

struct Case {
  std::string name;
  std::vector<int64_t> hidden;
  bool softplus;
  int64_t batch;
  int steps;
};

double step_time(const Case& what) {
  torch::manual_seed(1);
  torch::nn::Sequential network;
  int64_t width = inputs;
  for (const int64_t next : what.hidden) {
    network->push_back(torch::nn::Linear(width, next));
    if (what.softplus)
      network->push_back(torch::nn::Softplus());
    else
      network->push_back(torch::nn::LeakyReLU());
    width = next;
  }
  network->push_back(torch::nn::Linear(width, 2));  // both heads in one product: mean and ln variance
  torch::optim::AdamW optimiser(network->parameters(), torch::optim::AdamWOptions(1e-3).weight_decay(0.01));
  const torch::Tensor x = torch::rand({what.batch, inputs});
  const torch::Tensor y = x.sum(1).sin();
  const auto step = [&] {
    optimiser.zero_grad();
    const std::vector<torch::Tensor> heads = network->forward(x).unbind(1);
    const torch::Tensor residual = y - heads[0];
    const torch::Tensor loss = 0.5 * (heads[1] + torch::exp(-heads[1]) * residual * residual).mean();
    loss.backward();
    torch::nn::utils::clip_grad_value_(network->parameters(), 1.0);
    optimiser.step();
  };
  // Minimum over many short runs: one that nothing else interrupted.
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  double best = std::numeric_limits<double>::infinity();
  const Clock::time_point begin = Clock::now();
  while (seconds_since(begin) < 4) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < what.steps; ++i) step();
    best = std::min(best, seconds_since(start) / what.steps);
  }
  return best;
}

}  // namespace

int main() {
  torch::set_num_threads(1);
  const std::vector<int64_t> four_64(4, 64);
  const std::vector<int64_t> four_128(4, 128);
  for (const Case& what :
       {Case{"2x50-leaky-relu-32", {50, 50}, false, 32, 4}, Case{"4x64-softplus-32", four_64, true, 32, 3},
        Case{"4x128-softplus-32", four_128, true, 32, 2}, Case{"4x128-softplus-256", four_128, true, 256, 1}})
    std::printf("%s %.3f\n", what.name.c_str(), 1e6 * step_time(what));
}
