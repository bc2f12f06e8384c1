/// `mbll predict` as a whole: 10⁶ samples, 17 inputs, 4×128 network, 6 outputs. Prints its peak memory, and
/// which share of its processor time the network and the predictive take (the same calls without any text, in
/// this process); then the start-up time of the program.
///   predict_bench [SAMPLES]
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "mbll/model/file.hpp"
#include "mbll/model/fit.hpp"

extern char** environ;

namespace {

using namespace mbll;

constexpr Index inputs = 17;
constexpr Index outputs = 6;

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng = make_rng(seed);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(rng); });
}

Model make_model() {
  FitData data;
  data.X = random_matrix(inputs, 600, 1);
  data.Y = random_matrix(outputs, inputs, 2) * data.X + 0.1 * random_matrix(outputs, 600, 3);
  FitOptions options;
  options.hidden = {128, 128, 128, 128};
  options.activation = nn::Activation::softplus;
  options.train = TrainKind::two_phase;
  options.epochs = 1;
  return fit(std::move(data), options);
}

void write_table(const std::string& path, Index samples) {
  std::ofstream file(path);
  for (Index j = 1; j <= inputs; ++j) file << (j > 1 ? "," : "") << 'x' << j;
  const Matrix block = random_matrix(inputs, 10000, 4);
  std::string text;
  for (Index i = 0; i < samples; ++i) {
    text.assign(1, '\n');
    for (Index j = 0; j < inputs; ++j)
      fmt::format_to(std::back_inserter(text), "{}{}", j > 0 ? "," : "", block(j, i % 10000));
    file << text;
  }
  file << '\n';
}

struct Run {
  double wall = 0;
  double processor = 0;
  double megabytes = 0;
};

Run run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ) != 0)
    throw std::runtime_error("cannot start " + words.front());
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) throw std::runtime_error(words.front() + " failed");
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

/// Processor seconds of what `predict` computes, in its blocks.
double compute(const Model& model, Index samples) {
  const Matrix X = random_matrix(inputs, 512, 5);
  double sum = 0;
  const std::clock_t begin = std::clock();
  for (Index done = 0; done < samples; done += X.cols()) {
    const auto predictive = model.predict(X);
    sum += predictive->aleatoric_variance()(0, 0) + predictive->epistemic_variance()(0, 0) +
           predictive->interval(0.95).lower(0, 0);
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return sum == 0 ? 0 : seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const Index samples = argc > 1 && argv[1][0] != '-' ? std::stol(argv[1]) : 1000000;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("mbll-bench-{}", ::getpid());
  std::filesystem::create_directories(folder);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "mbll";
  const std::string model_file = folder / "model.json";
  const std::string table = folder / "table.csv";
  try {
    const Model model = make_model();
    save_model(model, model_file);
    write_table(table, samples);
    const Run predict = run({program, "predict", model_file, table});
    const double alone = compute(model, samples);
    fmt::print(
        "predict {} samples: {:.2f} s, {:.2f} s of processor time, peak memory {:.0f} MB (goal ≤ 200)\n",
        samples, predict.wall, predict.processor, predict.megabytes);
    fmt::print("network and predictive alone: {:.2f} s, {:.0f} % of it (goal ≥ 70)\n", alone,
               100 * alone / predict.processor);
    double start = 1e9;
    for (int i = 0; i < 20; ++i) start = std::min(start, run({program, "--version"}).wall);
    fmt::print("mbll --version: {:.1f} ms (goal ≤ 20)\n", 1e3 * start);
  } catch (const std::exception& error) {
    fmt::print(stderr, "predict_bench: {}\n", error.what());
    std::filesystem::remove_all(folder);
    return 1;
  }
  std::filesystem::remove_all(folder);
  return 0;
}
