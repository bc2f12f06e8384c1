#include <fmt/format.h>

#include <memory>

#include "arguments.hpp"
#include "command.hpp"
#include "mbll/metrics/metrics.hpp"
#include "mbll/model/file.hpp"
#include "model_data.hpp"
#include "summary.hpp"

namespace mbll::app {
namespace {

struct UpdateArguments {
  std::string model;
  std::string data;
  std::string out;
  std::string missing = "error";
  bool json = false;
};

int run_update(const UpdateArguments& arguments) {
  const Model model = load_model(arguments.model);
  const Samples samples = read_observed(model, arguments.data, arguments.missing);
  const Evaluation::Scores before = evaluate(*model.predict(samples.X, samples.sigma), samples.Y).joint;
  const Model updated = model.update(samples.X, samples.Y, samples.sigma);
  throw_if_interrupted();
  save_model(updated, arguments.out);
  if (arguments.json) {
    print_json(Json{{"added", samples.X.cols()},
                    {"samples", updated.report().samples},
                    {"before", {{"rmse", json_number(before.rmse)}, {"nll", json_number(before.nll)}}},
                    {"out", arguments.out}});
    return kDone;
  }
  print(
      fmt::format("{} samples added to {}; features and hyperparameters as they were\n"
                  "before they were added the model predicted them with RMSE {:.5g}, NLL {:.5g}\n"
                  "written {}\n",
                  samples.X.cols(), model.report().samples, before.rmse, before.nll, arguments.out));
  return kDone;
}

}  // namespace

void add_update(Program& program) {
  auto arguments = std::make_shared<UpdateArguments>();
  CLI::App* command =
      program.add("update", "Add samples to a model by an exact Bayesian update, without training again",
                  "  mbll update model.json today.csv --out model.json");
  add_model(*command, arguments->model);
  add_data(*command, arguments->data, "table with inputs and targets; '-': standard input");
  command->add_option("--out", arguments->out, "model file to write; may be the same")
      ->required()
      ->type_name("");
  add_missing(*command, arguments->missing);
  command->add_flag("--json", arguments->json, "result as JSON");
  program.on_run(command, [arguments] { return run_update(*arguments); });
}

}  // namespace mbll::app
