#include "mbll/model/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "arguments.hpp"
#include "command.hpp"
#include "fit_options.hpp"
#include "mbll/data/read.hpp"
#include "mbll/error.hpp"
#include "mbll/model/file.hpp"
#include "mbll/report/writer.hpp"
#include "model_data.hpp"
#include "page.hpp"
#include "progress.hpp"
#include "samples.hpp"
#include "summary.hpp"

namespace mbll::app {
namespace {

struct FitCommand {
  std::string data;
  std::string target;
  std::string inputs;
  std::string time;
  std::string lags;
  std::string missing = "error";
  std::string out;
  std::string report;
  bool strict = false;
  bool json = false;
  FitArguments fit;
};

/// Median distance between neighbours, so that later data is read with the same step.
double typical_step(const Vector& times) {
  if (times.size() < 2) return 0;
  Vector steps = times.tail(times.size() - 1) - times.head(times.size() - 1);
  std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
  return steps(steps.size() / 2);
}

LagSpec lag_spec(const FitCommand& arguments, const Table& table) {
  LagSpec lags;
  if (arguments.lags.empty()) {
    if (!arguments.time.empty()) throw UsageError("--time needs --lags P,Q");
    return lags;
  }
  const std::vector<long> orders = split_counts("lags", arguments.lags);
  if (orders.size() != 2 || orders[0] < 0 || orders[1] < 0 || orders[0] + orders[1] == 0)
    throw UsageError(fmt::format("--lags: '{}', expected P,Q such as 1,2", arguments.lags));
  lags.input_order = orders[0];
  lags.output_order = orders[1];
  if (arguments.time.empty()) return lags;
  lags.time = arguments.time == "calendar" ? arguments.time : resolve(table, {arguments.time}).front();
  lags.step = typical_step(time_of(table, lags.time));
  return lags;
}

Columns choose_columns(const FitCommand& arguments, const Table& table, std::vector<std::string>& notes) {
  if (arguments.target.empty())
    throw UsageError(fmt::format("--target: which columns are to be predicted? {} has: {}", table.source(),
                                 fmt::join(table.names(), ", ")));
  Columns columns;
  columns.targets = resolve(table, split_list("target", arguments.target));
  columns.lags = lag_spec(arguments, table);
  std::vector<std::string> taken = columns.targets;
  if (const std::string noise = arguments.fit.noise_column(); !noise.empty()) {
    columns.noise = resolve(table, {noise}).front();
    taken.push_back(columns.noise);
  }
  if (!columns.lags.time.empty()) {
    if (columns.lags.time == "calendar")
      taken.insert(taken.end(), {"year", "month", "day", "hour"});
    else
      taken.push_back(columns.lags.time);
  }
  columns.inputs = arguments.inputs.empty() ? default_inputs(table, taken, notes)
                                            : resolve(table, split_list("inputs", arguments.inputs));
  for (const std::string& target : columns.targets)
    if (std::find(columns.inputs.begin(), columns.inputs.end(), target) != columns.inputs.end())
      throw UsageError(fmt::format("--inputs: column '{}' is a target", target));
  if (!columns.lags.empty()) columns.lags.inputs = columns.inputs;
  return columns;
}

/// The library names samples and outputs; the user wants to know the file as well.
Model fit_samples(const Samples& samples, const Columns& columns, FitOptions options,
                  const std::string& source) {
  ProgressBar bar;
  options.progress = [&](const FitProgress& progress) {
    bar.show(progress.fraction, progress.stage);
    return !interrupted();
  };
  FitData data{samples.X, samples.Y, samples.sigma, samples.input_names, columns.targets};
  try {
    data.validate();
  } catch (const InvalidArgument& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
  try {
    Model::Parts parts = fit(std::move(data), options).parts();
    parts.noise_column = columns.noise;
    parts.lags = columns.lags;
    return Model(std::move(parts));
  } catch (const InvalidArgument& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
}

int run_fit(const FitCommand& arguments) {
  const FitOptions options = arguments.fit.to_fit_options();
  const MissingPolicy missing = training_policy(arguments.missing);
  const Table table = read_table(arguments.data, {.time_column = arguments.time});
  std::vector<std::string> notes;
  const Columns columns = choose_columns(arguments, table, notes);
  Samples samples = training_samples(table, columns, missing);
  notes.insert(notes.end(), samples.notes.begin(), samples.notes.end());
  for (const std::string& note : notes) spdlog::info("{}: {}", table.source(), note);

  const auto begin = std::chrono::steady_clock::now();
  const Model model = fit_samples(samples, columns, options, table.source());
  throw_if_interrupted();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (arguments.strict && !model.report().converged) {
    spdlog::error("the fit did not converge, and --strict was given: nothing was written");
    print(arguments.json ? model_json(model).dump(2) + "\n" : model_text(model));
    return kNotConverged;
  }
  // Both are made before either is written: a failure leaves no half of the result.
  std::unique_ptr<AtomicFile> page;
  if (!arguments.report.empty()) {
    page = std::make_unique<AtomicFile>(arguments.report);
    page->write(report::to_html(make_page(
        model, samples, {fmt::format("{}", fmt::join(columns.targets, ", ")), table.source(), true})));
  }
  if (!arguments.out.empty()) save_model(model, arguments.out);
  if (page) page->commit();

  if (arguments.json) {
    Json json = model_json(model);
    json["seconds"] = seconds;
    json["notes"] = notes;
    print_json(json);
    return kDone;
  }
  std::string text = model_text(model);
  text += fmt::format("{:<12}{:.1f} s\n", "time", seconds);
  if (!arguments.out.empty()) text += fmt::format("{:<12}{}\n", "written", arguments.out);
  if (!arguments.report.empty()) text += fmt::format("{:<12}{}\n", "written", arguments.report);
  print(text);
  return kDone;
}

}  // namespace

void add_fit(Program& program) {
  auto arguments = std::make_shared<FitCommand>();
  CLI::App* command = program.add(
      "fit", "Fit a model to a table of numbers (CSV, TSV, gzip, NPY, NPZ, '-': standard input)",
      "  mbll fit data.csv --target y --out model.json\n"
      "  mbll fit data.csv --target a,b --inputs x1,x2 --train two-phase --hidden 64,64\n"
      "  mbll fit data.csv --target y --features rbf --noise constant --report report.html\n"
      "  mbll fit air.csv --target PM2.5,O3 --time calendar --lags 1,2 --missing drop --out air.cbor\n"
      "  mbll fit data.csv --config options.json");
  add_data(*command, arguments->data, "file with one sample per line");
  command->add_option("--target", arguments->target, "columns to predict, by name or number: a,b")
      ->type_name("");
  command->add_option("--inputs", arguments->inputs, "columns to predict from; default: all others")
      ->type_name("");
  arguments->fit.add_to(command);
  command
      ->add_option("--time", arguments->time,
                   "time column for --lags, numbers or dates; 'calendar' for year, month, day, hour")
      ->type_name("");
  command->add_option("--lags", arguments->lags, "P,Q: regress on P inputs and Q past outputs")
      ->type_name("");
  add_missing(*command, arguments->missing, "error, drop, mean or interpolate");
  command->add_option("--out", arguments->out, "model file: JSON, or CBOR if it ends with .cbor")
      ->type_name("");
  command->add_option("--report", arguments->report, "report page (HTML)")->type_name("");
  command->add_flag("--strict", arguments->strict, "exit code 4, and no files, if the fit did not converge");
  command->add_flag("--json", arguments->json, "summary as JSON");
  program.on_run(command, [arguments] { return run_fit(*arguments); });
}

}  // namespace mbll::app
