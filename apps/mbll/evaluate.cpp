#include <memory>

#include "arguments.hpp"
#include "command.hpp"
#include "mbll/metrics/metrics.hpp"
#include "mbll/model/file.hpp"
#include "model_data.hpp"
#include "summary.hpp"

namespace mbll::app {
namespace {

struct EvaluateArguments {
  std::string model;
  std::string data;
  std::string missing = "error";
  bool json = false;
};

int run_evaluate(const EvaluateArguments& arguments) {
  const Model model = load_model(arguments.model);
  const Samples samples = read_observed(model, arguments.data, arguments.missing);
  const Evaluation evaluation = evaluate(*model.predict(samples.X, samples.sigma), samples.Y);
  if (arguments.json)
    print_json(evaluation_json(evaluation, model.output_names()));
  else
    print(evaluation_text(evaluation, model.output_names()));
  return kDone;
}

}  // namespace

void add_evaluate(Program& program) {
  auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App* command = program.add(
      "evaluate",
      "Score a model on samples whose targets are known: RMSE, NLL, ECE, CRPS, sharpness, coverage",
      "  mbll evaluate model.json test.csv\n"
      "  mbll evaluate model.json test.csv --json");
  add_model(*command, arguments->model);
  add_data(*command, arguments->data, "table with inputs and targets; '-': standard input");
  add_missing(*command, arguments->missing);
  command->add_flag("--json", arguments->json, "scores as JSON");
  program.on_run(command, [arguments] { return run_evaluate(*arguments); });
}

}  // namespace mbll::app
