#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "arguments.hpp"
#include "command.hpp"
#include "mbll/error.hpp"
#include "mbll/experiments/beijing.hpp"
#include "mbll/experiments/degenerate_em.hpp"
#include "mbll/experiments/interpolation.hpp"
#include "mbll/experiments/uci.hpp"
#include "mbll/report/writer.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace mbll::app {
namespace {

struct Experiment {
  std::string name;
  experiments::ExperimentResult (*run)(const experiments::ExperimentOptions&);
};

const std::vector<Experiment>& all_experiments() {
  static const std::vector<Experiment> list = {
      {"interpolation-basis", experiments::run_interpolation_basis},
      {"interpolation-network", experiments::run_interpolation_network},
      {"interpolation-two-phase", experiments::run_interpolation_two_phase},
      {"degenerate-em", experiments::run_degenerate_em},
      {"uci", experiments::run_uci},
      {"beijing", experiments::run_beijing},
  };
  return list;
}

struct ReproduceArguments {
  std::string name;
  std::string datasets;
  std::string rows;
  std::string stations;
  std::string out = "reproduction";
  bool json = false;
  experiments::ExperimentOptions options;
};

std::vector<Experiment> chosen(const std::string& name) {
  if (name == "all") return all_experiments();
  std::vector<std::string> names{"all"};
  for (const Experiment& experiment : all_experiments()) {
    if (experiment.name == name) return {experiment};
    names.push_back(experiment.name);
  }
  throw UsageError(fmt::format("'{}' is no experiment, expected one of {}", name, fmt::join(names, ", ")));
}

/// Runs one experiment and writes its folder. Returns its results as JSON.
Json run_one(const Experiment& experiment, const ReproduceArguments& arguments,
             const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw WriteError(fmt::format("{}: cannot create the folder: {}", folder.string(), error.message()));
  const auto begin = std::chrono::steady_clock::now();
  ProgressBar bar;
  experiments::ExperimentOptions options = arguments.options;
  options.progress = [&](double fraction, const std::string& stage) {
    bar.show(fraction, experiment.name + ", " + stage);
    return !interrupted();
  };
  const experiments::ExperimentResult result = experiment.run(options);
  bar.clear();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::string results_path = (folder / "results.json").string();
  const std::string report_path = (folder / "report.html").string();
  Output results(results_path);
  results.write(result.results + "\n");
  results.finish();
  report::write_report(report_path, result.report);
  if (!arguments.json)
    print(
        fmt::format("{}written {} and {} in {:.1f} s\n\n", result.table, results_path, report_path, seconds));
  return Json::parse(result.results);
}

int run_reproduce(ReproduceArguments arguments) {
  const auto list = [](const char* option, const std::string& text) {
    return text.empty() ? std::vector<std::string>{} : split_list(option, text);
  };
  arguments.options.datasets = list("datasets", arguments.datasets);
  arguments.options.rows = list("rows", arguments.rows);
  arguments.options.stations = list("stations", arguments.stations);
  const std::vector<Experiment> experiments = chosen(arguments.name);
  Json all = Json::object();
  for (const Experiment& experiment : experiments) {
    const std::filesystem::path out = arguments.out;
    all[experiment.name] =
        run_one(experiment, arguments, experiments.size() > 1 ? out / experiment.name : out);
  }
  if (arguments.json) print_json(experiments.size() > 1 ? all : all.front());
  return kDone;
}

}  // namespace

void add_reproduce(Program& program) {
  auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App* command =
      program.add("reproduce",
                  "Run an experiment of the paper: interpolation-basis, interpolation-network, "
                  "interpolation-two-phase, degenerate-em, uci, beijing or all. Writes results.json and "
                  "report.html, and prints the paper's numbers beside these",
                  "  mbll reproduce degenerate-em --out degenerate\n"
                  "  mbll reproduce uci --data-dir data --datasets yacht,boston --rows scalar --seeds 5\n"
                  "  mbll reproduce beijing --data-dir data --stations all --out beijing");
  command->add_option("experiment", arguments->name, "which one")->required()->type_name("NAME");
  const auto words = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)->type_name("");
  };
  words("--datasets", arguments->datasets, "uci: which data sets; default: all");
  words("--rows", arguments->rows, "uci: of scalar, hyper, default; default: all");
  words("--stations", arguments->stations, "beijing: which stations, or all; default: tiantan");
  command->add_option("--seeds", arguments->options.seeds, "uci: repetitions")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("");
  command->add_option("--seed", arguments->options.seed, "the first seed")
      ->capture_default_str()
      ->type_name("");
  command->add_option("--out", arguments->out, "folder for the results; with all, one folder each in it")
      ->capture_default_str()
      ->type_name("DIR");
  command
      ->add_option("--data-dir", arguments->options.data_dir,
                   "folder of the public data sets; default: what MBLL_DATA names")
      ->type_name("DIR");
  command->add_option("--threads", arguments->options.threads, "0: all processors")
      ->capture_default_str()
      ->type_name("");
  command->add_flag("--json", arguments->json, "results as JSON instead of the table");
  program.on_run(command, [arguments] { return run_reproduce(*arguments); });
}

}  // namespace mbll::app
