#pragma once

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

/// Main program of the benchmarks: times are only comparable within one run on one machine, so what is
/// printed is the ratio to the bare call that bounds us, measured in the same run, repetitions interleaved,
/// the minimum of each.
///
/// Names are "group/what"; "group/bare …" is the bound of its group. A counter "limit" holds the ratio that
/// must hold.
namespace mbll::bench {

class RatioReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const std::string name = run.run_name.function_name;
      if (!results_.contains(name)) order_.push_back(name);
      Result& result = results_[name];
      const double seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      result.seconds = result.seconds == 0 ? seconds : std::min(result.seconds, seconds);
      if (const auto limit = run.counters.find("limit"); limit != run.counters.end())
        result.limit = limit->second;
    }
  }

  void Finalize() override {
    std::sort(order_.begin(), order_.end(), [](const std::string& a, const std::string& b) {
      const auto key = [](const std::string& name) {
        return std::make_pair(group_of(name), name.find("/bare") == std::string::npos);
      };
      return key(a) < key(b) || (key(a) == key(b) && a < b);
    });
    std::map<std::string, double> bound;
    for (const std::string& name : order_)
      if (name.find("/bare") != std::string::npos && !bound.contains(group_of(name)))
        bound[group_of(name)] = results_[name].seconds;
    fmt::print("{:<64} {:>12} {:>8} {:>8}\n", "benchmark (minimum of the repetitions)", "time", "ratio",
               "limit");
    for (const std::string& name : order_) {
      const Result& result = results_[name];
      const auto reference = bound.find(group_of(name));
      fmt::print("{:<64} {:>12} {:>8} {:>8}\n", name, readable(result.seconds),
                 reference == bound.end() ? "" : fmt::format("{:.2f}", result.seconds / reference->second),
                 result.limit > 0 ? fmt::format("{:.2f}", result.limit) : "");
    }
  }

 private:
  struct Result {
    double seconds = 0;
    double limit = 0;
  };

  static std::string group_of(const std::string& name) { return name.substr(0, name.find('/')); }

  static std::string readable(double seconds) {
    if (seconds < 1e-6) return fmt::format("{:.0f} ns", 1e9 * seconds);
    if (seconds < 1e-3) return fmt::format("{:.2f} µs", 1e6 * seconds);
    if (seconds < 1) return fmt::format("{:.2f} ms", 1e3 * seconds);
    return fmt::format("{:.3f} s", seconds);
  }

  std::vector<std::string> order_;
  std::map<std::string, Result> results_;
};

inline int run(int argc, char** argv) {
  std::vector<std::string> defaults = {"--benchmark_repetitions=5",
                                       "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> arguments = {argv[0]};
  for (std::string& argument : defaults) arguments.push_back(argument.data());
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}

}  // namespace mbll::bench
