#include <fmt/format.h>

#include <memory>

#include "arguments.hpp"
#include "command.hpp"
#include "mbll/model/file.hpp"
#include "summary.hpp"

namespace mbll::app {
namespace {

struct InspectArguments {
  std::string model;
  bool json = false;
};

Json scaling_json(const std::vector<std::string>& names, const Scaler& scaler) {
  Json json = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i)
    json.push_back({{"name", names[i]},
                    {"mean", scaler.mean(static_cast<Index>(i))},
                    {"std", scaler.scale(static_cast<Index>(i))}});
  return json;
}

std::string scaling_text(const char* heading, const std::vector<std::string>& names, const Scaler& scaler) {
  std::string text = fmt::format("\n{:<24}{:>14}{:>14}\n", heading, "mean", "std");
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{:<24}{:>14.6g}{:>14.6g}\n", names[i], scaler.mean(static_cast<Index>(i)),
                        scaler.scale(static_cast<Index>(i)));
  return text;
}

int run_inspect(const InspectArguments& arguments) {
  const Model model = load_model(arguments.model);
  const Model::Parts& parts = model.parts();
  if (arguments.json) {
    Json json = model_json(model);
    json["input_scaling"] = scaling_json(parts.input_names, parts.inputs);
    json["output_scaling"] = scaling_json(parts.output_names, parts.outputs);
    const Matrix V = model.noise_covariance();
    Json rows = Json::array();
    for (Index i = 0; i < V.rows(); ++i) {
      Json row = Json::array();
      for (Index j = 0; j < V.cols(); ++j) row.push_back(json_number(V(i, j)));
      rows.push_back(std::move(row));
    }
    json["noise_covariance"] = std::move(rows);
    print_json(json);
    return kDone;
  }
  std::string text = model_text(model);
  text += scaling_text("inputs", parts.input_names, parts.inputs);
  text += scaling_text("outputs", parts.output_names, parts.outputs);
  if (model.outputs() > 1) {
    const Matrix V = model.noise_covariance();
    text += "\nnoise correlation\n";
    for (Index i = 0; i < V.rows(); ++i) {
      text += fmt::format("{:<24}", parts.output_names[static_cast<std::size_t>(i)]);
      for (Index j = 0; j <= i; ++j) text += fmt::format("{:>8.3f}", V(i, j) / std::sqrt(V(i, i) * V(j, j)));
      text += '\n';
    }
  }
  print(text);
  return kDone;
}

}  // namespace

void add_inspect(Program& program) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App* command = program.add("inspect", "Say what is in a model file",
                                  "  mbll inspect model.json\n"
                                  "  mbll inspect model.cbor --json");
  add_model(*command, arguments->model);
  command->add_flag("--json", arguments->json, "as JSON");
  program.on_run(command, [arguments] { return run_inspect(*arguments); });
}

}  // namespace mbll::app
