#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "mbll/data/synthetic.hpp"
#include "mbll/error.hpp"
#include "mbll/model/file.hpp"
#include "mbll/model/fit.hpp"
#include "mbll/report/writer.hpp"
#include "page.hpp"
#include "progress.hpp"
#include "summary.hpp"

namespace mbll::app {
namespace {

struct DemoArguments {
  std::string out = ".";
  std::uint64_t seed = 1;
  bool json = false;
};

/// How near the fitted model comes to the truth that the data was made from.
struct Truth {
  double mean_rmse = 0;    ///< of the predicted mean, all outputs together
  double sigma_ratio = 0;  ///< typical factor between fitted and true noise: exp of the mean |ln ratio|
};

Truth compare(const Model& model, const SyntheticSet& truth) {
  const auto predictive = model.predict(truth.X);
  const Matrix mean = truth.mean(truth.X);
  const Vector sigma = truth.sigma(truth.X);
  const Matrix fitted = predictive->aleatoric_variance().cwiseSqrt();
  const Matrix actual = truth.V.diagonal().cwiseSqrt() * sigma.transpose();
  Truth result;
  result.mean_rmse = std::sqrt((predictive->mean() - mean).colwise().squaredNorm().mean());
  result.sigma_ratio = std::exp((fitted.array().log() - actual.array().log()).abs().mean());
  return result;
}

int run_demo(const DemoArguments& arguments) {
  const std::filesystem::path folder = arguments.out;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw WriteError(fmt::format("{}: cannot create the folder: {}", arguments.out, error.message()));
  const std::string model_path = (folder / "model.json").string();
  const std::string report_path = (folder / "report.html").string();

  const auto begin = std::chrono::steady_clock::now();
  const SyntheticSet train = multivariate_heteroscedastic(1000, arguments.seed);
  const SyntheticSet test = multivariate_heteroscedastic(1000, arguments.seed + 1);
  FitOptions options;
  options.seed = arguments.seed;
  ProgressBar bar;
  options.progress = [&](const FitProgress& progress) {
    bar.show(progress.fraction, progress.stage);
    return !interrupted();
  };
  const Model model = fit({train.X, train.Y, {}, train.input_names, train.output_names}, options);
  bar.clear();
  const Evaluation evaluation = evaluate(*model.predict(test.X), test.Y);
  const Truth truth = compare(model, test);

  Samples samples;
  samples.X = test.X;
  samples.Y = test.Y;
  throw_if_interrupted();
  AtomicFile page(report_path);
  page.write(report::to_html(make_page(model, samples,
                                       {"Three correlated outputs, noise that depends on the inputs",
                                        "1000 new samples of the built-in set 'multivariate'", false})));
  save_model(model, model_path);
  page.commit();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  if (arguments.json) {
    print_json(Json{{"fit", model_json(model)},
                    {"test", evaluation_json(evaluation, model.output_names())},
                    {"truth", {{"mean_rmse", truth.mean_rmse}, {"sigma_ratio", truth.sigma_ratio}}},
                    {"model", model_path},
                    {"report", report_path},
                    {"seconds", seconds}});
    return kDone;
  }
  print(
      fmt::format("{}\n1000 new samples of the same kind:\n{}\n"
                  "against the truth: mean off by {:.3f} (RMSE), noise by a factor of {:.2f}\n"
                  "written {} and {} in {:.1f} s: open the page in a browser\n",
                  model_text(model), evaluation_text(evaluation, model.output_names()), truth.mean_rmse,
                  truth.sigma_ratio, model_path, report_path, seconds));
  return kDone;
}

}  // namespace

void add_demo(Program& program) {
  auto arguments = std::make_shared<DemoArguments>();
  CLI::App* command =
      program.add("demo", "Fit a built-in data set end to end; writes model.json and report.html",
                  "  mbll demo\n"
                  "  mbll demo --out demo-results");
  command->add_option("--out", arguments->out, "folder for model.json and report.html")
      ->capture_default_str()
      ->type_name("DIR");
  command->add_option("--seed", arguments->seed, "of data and fit")->capture_default_str()->type_name("");
  command->add_flag("--json", arguments->json, "summary as JSON");
  program.on_run(command, [arguments] { return run_demo(*arguments); });
}

}  // namespace mbll::app
