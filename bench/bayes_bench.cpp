#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "mbll/bayes/posterior.hpp"
#include "mbll/bayes/statistics.hpp"
#include "mbll/core.hpp"
#include "ratio_main.hpp"

// The Bayesian part beside the bare BLAS calls that bound it: d = 128 features, p = 6 outputs.
namespace mbll {
namespace {

constexpr int d = 128;
constexpr int p = 6;
constexpr int n = d + p;
constexpr Index many_samples = 1'000'000;
constexpr Index many_points = 100'000;

void set_limit(benchmark::State& state, double limit) { state.counters["limit"] = limit; }

struct Data {
  Matrix stack{n, many_samples};  // [Φ; Y]
  Vector sigma{many_samples};
  Data() {
    Rng rng = make_rng(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double& value : stack.reshaped()) value = uniform(rng);
    for (double& value : sigma) value = 1.5 + uniform(rng);
  }
};

const Data& data() {
  static const Data instance;
  return instance;
}

void bare_dsyrk(benchmark::State& state) {
  const Matrix& Z = data().stack;
  Matrix G(n, n);
  const int samples = static_cast<int>(Z.cols());
  const double one = 1;
  const double zero = 0;
  for (auto _ : state) {
    dsyrk_("U", "N", &n, &samples, &one, Z.data(), &n, &zero, G.data(), &n);
    benchmark::DoNotOptimize(G.data());
  }
}

void statistics(benchmark::State& state, StatisticsMethod method, int threads, double limit) {
  const Data& all = data();
  for (auto _ : state) {
    Statistics statistics(d, p, {method, threads});
    statistics.add(all.stack.topRows(d), all.stack.bottomRows(p), all.sigma);
    benchmark::DoNotOptimize(statistics.root().data());
  }
  set_limit(state, limit);
}

const Statistics& some_statistics() {
  static const Statistics instance = [] {
    Statistics result(d, p);
    result.add(data().stack.topRows(d).leftCols(10000), data().stack.bottomRows(p).leftCols(10000),
               data().sigma.head(10000));
    return result;
  }();
  return instance;
}

Posterior make_posterior() {
  return condition(NormalPrior{Matrix::Zero(p, d), Covariance::identity(p), Covariance::identity(d)},
                   some_statistics());
}

void posterior(benchmark::State& state) {
  (void)some_statistics();
  for (auto _ : state) benchmark::DoNotOptimize(make_posterior().log_evidence());
}

void bare_dgemm(benchmark::State& state) {
  const Matrix A = data().stack.topLeftCorner(d, d);
  Matrix B(d, d);
  for (auto _ : state) {
    B.noalias() = A * A;
    benchmark::DoNotOptimize(B.data());
  }
}

void bare_dtrmm_dgemm(benchmark::State& state, Index points) {
  const Posterior fitted = make_posterior();
  const Matrix Phi = data().stack.topRows(d).leftCols(points);
  Matrix B = Phi;
  Matrix mean(p, points);
  const int columns = static_cast<int>(points);
  const double one = 1;
  const double zero = 0;
  for (auto _ : state) {
    dgemm_("N", "N", &p, &columns, &d, &one, fitted.mean().data(), &p, Phi.data(), &d, &zero, mean.data(),
           &p);
    dtrmm_("L", "U", "T", "N", &d, &columns, &one, fitted.column_covariance().factor().data(), &d, B.data(),
           &d);
    benchmark::DoNotOptimize(B.data());
    benchmark::DoNotOptimize(mean.data());
    state.PauseTiming();
    B = Phi;  // else it runs into denormals
    state.ResumeTiming();
  }
}

void prediction(benchmark::State& state) {
  const Posterior fitted = make_posterior();
  const Matrix Phi = data().stack.topRows(d).leftCols(many_points);
  Matrix mean(p, many_points);
  Vector epistemic(many_points);
  for (auto _ : state) {
    fitted.predict_into(Phi, mean, epistemic);
    benchmark::DoNotOptimize(epistemic.data());
  }
  set_limit(state, 1.2);
}

void bare_dtrmv_dgemv(benchmark::State& state) {
  const Posterior fitted = make_posterior();
  const Vector phi = data().stack.col(0).head(d);
  Vector x(d);
  Vector mean(p);
  const int unit = 1;
  const double one = 1;
  const double zero = 0;
  for (auto _ : state) {
    x = phi;
    dtrmv_("U", "T", "N", &d, fitted.column_covariance().factor().data(), &d, x.data(), &unit);
    dgemv_("N", &p, &d, &one, fitted.mean().data(), &p, phi.data(), &unit, &zero, mean.data(), &unit);
    benchmark::DoNotOptimize(x.data());
    benchmark::DoNotOptimize(mean.data());
  }
}

void one_point(benchmark::State& state) {
  const Posterior fitted = make_posterior();
  const Vector phi = data().stack.col(0).head(d);
  Vector mean(p);
  for (auto _ : state) benchmark::DoNotOptimize(fitted.predict_one(phi, mean));
}

void add_sample(benchmark::State& state) {
  Statistics statistics = some_statistics();
  const Vector phi = data().stack.col(0).head(d);
  const Vector y = data().stack.col(0).tail(p);
  for (auto _ : state) statistics.add_sample(phi, y, 1.0);
}

void register_all() {
  using benchmark::RegisterBenchmark;
  const auto milliseconds = [](benchmark::internal::Benchmark* b) { b->UseRealTime()->MinTime(0.1); };
  milliseconds(RegisterBenchmark("statistics 10^6 samples/bare dsyrk", bare_dsyrk));
  milliseconds(RegisterBenchmark("statistics 10^6 samples/1 thread", [](benchmark::State& state) {
    statistics(state, StatisticsMethod::automatic, 1, 1.15);
  }));
  milliseconds(RegisterBenchmark("statistics 10^6 samples/2 threads", [](benchmark::State& state) {
    statistics(state, StatisticsMethod::automatic, 2, 1.15 / 1.6);
  }));
  milliseconds(RegisterBenchmark(
      "statistics 10^6 samples/square root, 1 thread",
      [](benchmark::State& state) { statistics(state, StatisticsMethod::square_root, 1, 4); }));
  milliseconds(RegisterBenchmark("posterior/bare dgemm 128×128×128", bare_dgemm));
  milliseconds(RegisterBenchmark("posterior/condition", posterior));
  milliseconds(RegisterBenchmark("prediction 10^5 points/bare dtrmm + dgemm",
                                 [](benchmark::State& state) { bare_dtrmm_dgemm(state, many_points); }));
  milliseconds(RegisterBenchmark("prediction 10^5 points/predict_into", prediction));
  milliseconds(RegisterBenchmark("one point/bare dtrmv + dgemv", bare_dtrmv_dgemv));
  milliseconds(RegisterBenchmark("one point/predict_one", one_point));
  milliseconds(RegisterBenchmark("one sample/add_sample", add_sample));
}

}  // namespace
}  // namespace mbll

int main(int argc, char** argv) {
  mbll::register_all();
  return mbll::bench::run(argc, argv);
}
