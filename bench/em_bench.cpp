#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <numeric>
#include <random>

#include "mbll/em/em.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/network.hpp"
#include "mbll/model/layer.hpp"
#include "ratio_main.hpp"

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

// EM after the statistics: d = 128 features, p = 6 outputs. The group "100 steps" has whole runs of kSteps
// steps beside kSteps bare calls.
namespace mbll {
namespace {

constexpr int d = 128;
constexpr int p = 6;
constexpr Index N = 100'000;
constexpr int kSteps = 100;

struct Data {
  Matrix Phi{d, N};
  Matrix Y{p, N};
  Data() {
    Rng rng = make_rng(1);
    std::normal_distribution<double> normal;
    for (double& value : Phi.reshaped()) value = normal(rng);
    Matrix A(p, d);
    for (double& value : A.reshaped()) value = 0.1 * normal(rng);
    Y = A * Phi;
    for (double& value : Y.reshaped()) value += normal(rng);
  }
};

const Data& data() {
  static const Data instance;
  return instance;
}

Statistics make_statistics() {
  Statistics statistics(d, p);
  statistics.add(data().Phi, data().Y);
  return statistics;
}

const Statistics& statistics() {
  static const Statistics instance = make_statistics();
  return instance;
}

NormalPrior start() { return {Matrix::Zero(p, d), Covariance::identity(p), Covariance::identity(d)}; }

EmOptions options(ColumnStructure column, int steps) {
  EmOptions result;
  result.column = column;
  result.update_noise = true;
  result.accelerate = false;
  result.tolerance = 1e-300;  // always kSteps steps
  result.max_steps = steps;
  return result;
}

void bare_cholesky_inverse(benchmark::State& state) {
  Matrix S = statistics().feature_gram();
  int info = 0;
  for (auto _ : state)
    for (int i = 0; i < kSteps; ++i) {
      Matrix work = S;
      dpotrf_("U", &d, work.data(), &d, &info);
      dpotri_("U", &d, work.data(), &d, &info);
      benchmark::DoNotOptimize(work.data());
    }
}

void em(benchmark::State& state, ColumnStructure column, double limit) {
  (void)statistics();
  for (auto _ : state)
    benchmark::DoNotOptimize(fit_em(start(), statistics(), options(column, kSteps)).noise_scale);
  if (limit > 0) state.counters["limit"] = limit;
}

/// From the end of the first step to the end of the last: the decomposition before them does not count.
void spectral_step() {
  using clock = std::chrono::steady_clock;
  double best = 1;
  int steps = 0;
  for (int repetition = 0; repetition < 50; ++repetition) {
    clock::time_point first;
    clock::time_point last;
    steps = 0;
    EmOptions timed = options(ColumnStructure::isotropic, 1000);
    timed.progress = [&](const EmStep&) {
      last = clock::now();
      if (steps++ == 0) first = last;
      return true;
    };
    (void)fit_em(start(), statistics(), timed);
    best = std::min(best, std::chrono::duration<double>(last - first).count() / (steps - 1));
  }
  fmt::print("one step of isotropic EM, d = 128, p = 6: {:.2f} µs (limit 20), mean of {} steps\n", 1e6 * best,
             steps - 1);
}

void bare_statistics(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(make_statistics().root().data());
}

void whole_fit(benchmark::State& state) {
  EmOptions isotropic;
  isotropic.update_noise = true;
  for (auto _ : state) benchmark::DoNotOptimize(fit_em(start(), make_statistics(), isotropic).noise_scale);
  state.counters["limit"] = 1.15;
}

double resident_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// 400 000 samples of 17 inputs and 6 outputs through a 4×128 network, statistics and EM to 10⁻⁴.
void large_problem() {
  const Index samples = 400'000;
  Rng rng = make_rng(2);
  std::normal_distribution<double> normal;
  Matrix X(17, samples);
  for (double& value : X.reshaped()) value = normal(rng);
  nn::NetworkSpec spec;
  spec.inputs = 17;
  spec.hidden = {128, 128, 128, 128};
  spec.outputs = p;
  spec.activation = nn::Activation::softplus;
  const auto network = std::make_shared<const nn::DensityNetwork<float>>(spec, 1);
  Matrix Y = X.topRows(p);
  for (double& value : Y.reshaped()) value += normal(rng);
  const double before = resident_megabytes();
  const Encoder encoder(WithConstant{NetworkBackbone{network}}, NoiseModel{});
  std::vector<Index> all(samples);
  std::iota(all.begin(), all.end(), Index{0});
  for (const int threads : {1, 2}) {
    const auto begin = std::chrono::steady_clock::now();
    StatisticsOptions parallel;
    parallel.threads = threads;
    const Statistics statistics = encode_statistics(encoder, X, Y, Vector(), all, parallel);
    const auto middle = std::chrono::steady_clock::now();
    const LayerFit fit = fit_layer(statistics, Covariance::identity(p), std::nullopt, {});
    const auto end = std::chrono::steady_clock::now();
    fmt::print(
        "400 000 × 17 → 6 through 4×128, {} thread(s): features and statistics {:.2f} s, EM {:.1f} ms in {} "
        "steps ({}), "
        "memory above the input {:.0f} MB (limit 200)\n",
        threads, std::chrono::duration<double>(middle - begin).count(),
        1e3 * std::chrono::duration<double>(end - middle).count(), fit.em.steps, name_of(fit.em.end),
        resident_megabytes() - before);
  }
}

}  // namespace
}  // namespace mbll

int main(int argc, char** argv) {
  using namespace mbll;
  large_problem();
  spectral_step();
  benchmark::RegisterBenchmark("100 steps/bare Cholesky + inverse", bare_cholesky_inverse);
  benchmark::RegisterBenchmark("100 steps/EM, diagonal K",
                               [](auto& s) { em(s, ColumnStructure::diagonal, 5); });
  benchmark::RegisterBenchmark("100 steps/EM, full K", [](auto& s) { em(s, ColumnStructure::full, 0); });
  benchmark::RegisterBenchmark("whole fit, N = 1e5/bare statistics", bare_statistics);
  benchmark::RegisterBenchmark("whole fit, N = 1e5/statistics and isotropic EM", whole_fit);
  return bench::run(argc, argv);
}
