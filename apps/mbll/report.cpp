#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "arguments.hpp"
#include "command.hpp"
#include "mbll/data/read.hpp"
#include "mbll/model/file.hpp"
#include "mbll/report/writer.hpp"
#include "model_data.hpp"
#include "output.hpp"
#include "page.hpp"

namespace mbll::app {
namespace {

struct ReportArguments {
  std::string model;
  std::string data;
  std::string out = "report.html";
  std::string missing = "error";
  std::string title;
  bool training = false;
  bool json = false;
};

int run_report(const ReportArguments& arguments) {
  const Model model = load_model(arguments.model);
  const MissingPolicy missing = new_data_policy(arguments.missing);
  const Table table = read_table(arguments.data, {.time_column = model.parts().lags.time});
  const auto& names = model.output_names();
  const bool observed = std::all_of(names.begin(), names.end(),
                                    [&](const std::string& name) { return table.has_column(name); });
  check_columns(model, table.source(), table.names(), observed);
  const Samples samples = model_samples(table, model, missing, observed);
  for (const std::string& note : samples.notes) spdlog::info("{}: {}", table.source(), note);
  if (!observed) spdlog::info("{}: without the targets the page shows predictions only", table.source());
  const std::string title =
      arguments.title.empty() ? fmt::format("{}", fmt::join(names, ", ")) : arguments.title;
  const report::Report page = make_page(model, samples, {title, table.source(), arguments.training});
  throw_if_interrupted();
  report::write_report(arguments.out, page);
  if (arguments.json)
    print_json(Json{{"out", arguments.out}, {"samples", samples.X.cols()}, {"observed", observed}});
  else
    print(fmt::format("written {}\n", arguments.out));
  return kDone;
}

}  // namespace

void add_report(Program& program) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = program.add("report", "Write a page with predictions, calibration, residuals and more",
                                  "  mbll report model.json test.csv --out report.html\n"
                                  "  mbll report model.json train.csv --training --title Yacht");
  add_model(*command, arguments->model);
  add_data(*command, arguments->data, "table with inputs and, for scores, targets");
  command->add_option("--out", arguments->out, "HTML file")->capture_default_str()->type_name("");
  command->add_option("--title", arguments->title, "of the page; default: names of the targets")
      ->type_name("");
  command->add_flag("--training", arguments->training,
                    "these are the samples that the model was fitted to: say so");
  add_missing(*command, arguments->missing);
  command->add_flag("--json", arguments->json, "result as JSON");
  program.on_run(command, [arguments] { return run_report(*arguments); });
}

}  // namespace mbll::app
