#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "arguments.hpp"
#include "command.hpp"
#include "mbll/data/read.hpp"
#include "mbll/em/selection.hpp"
#include "mbll/error.hpp"
#include "mbll/features/centres.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/gaussian_kernels.hpp"
#include "mbll/features/identity.hpp"
#include "mbll/features/polynomial.hpp"
#include "mbll/features/random_fourier.hpp"
#include "model_data.hpp"
#include "output.hpp"
#include "samples.hpp"

namespace mbll::app {
namespace {

struct SelectArguments {
  std::string data;
  std::string target;
  std::string inputs;
  std::string features = "linear,poly,rbf,fourier";
  std::string degree = "2,3";
  std::string kernels = "50";
  std::string lengthscale = "0.5,1,2,4";
  std::string column_covariance = "isotropic";
  std::string covariance = "known";
  std::vector<std::string> lags;
  std::string time;
  std::string missing = "error";
  std::uint64_t seed = 0;
  int threads = 0;
  bool json = false;
};

struct NamedFeatures {
  std::string name;
  FeatureMap map;
};

std::vector<NamedFeatures> candidate_features(const SelectArguments& arguments, const Matrix& X) {
  std::vector<NamedFeatures> result;
  const Index q = X.rows();
  const double unit = std::sqrt(static_cast<double>(q));  // distances grow with the number of inputs
  for (const std::string& kind : split_list("features", arguments.features)) {
    if (kind == "linear") {
      result.push_back({"linear", WithConstant{Identity{q}}});
    } else if (kind == "poly") {
      for (const long degree : split_counts("degree", arguments.degree))
        result.push_back({fmt::format("poly, degree {}", degree),
                          WithConstant{Polynomial::of_degree(q, static_cast<int>(degree))}});
    } else if (kind == "rbf" || kind == "fourier") {
      for (const long count : split_counts("kernels", arguments.kernels)) {
        KMeansOptions clusters;
        clusters.clusters = std::min<Index>(count, X.cols());
        clusters.seed = arguments.seed;
        clusters.threads = arguments.threads;
        const Matrix centres = kind == "rbf" ? k_means(X, clusters).centres : Matrix();
        for (const double width : split_numbers("lengthscale", arguments.lengthscale)) {
          const std::string name = fmt::format("{}, {} features, lengthscale {:g}", kind, count, width);
          if (kind == "rbf")
            result.push_back({name, WithConstant{GaussianKernels::of_width(centres, width * unit)}});
          else
            result.push_back(
                {name, WithConstant{RandomFourier::gaussian(count, q, width * unit, arguments.seed)}});
        }
      }
    } else {
      throw UsageError(fmt::format("--features: '{}', expected linear, poly, rbf or fourier{}", kind,
                                   kind == "mlp" ? ". Networks are not ranked by evidence: they have been "
                                                   "trained on the samples that it would be computed from, "
                                                   "which makes it too large"
                                                 : ""));
    }
  }
  return result;
}

/// Tables of samples to choose between: one per pair of lag orders, cut to the samples that all of them have.
struct Variant {
  std::string name;
  Samples samples;
};

std::vector<Variant> variants(const SelectArguments& arguments, const Table& table) {
  if (arguments.target.empty())
    throw UsageError(fmt::format("--target: which columns are to be predicted? {} has: {}", table.source(),
                                 fmt::join(table.names(), ", ")));
  Columns columns;
  columns.targets = resolve(table, split_list("target", arguments.target));
  std::vector<std::string> taken = columns.targets;
  if (arguments.time == "calendar")
    taken.insert(taken.end(), {"year", "month", "day", "hour"});
  else if (!arguments.time.empty())
    taken.push_back(resolve(table, {arguments.time}).front());
  std::vector<std::string> notes;
  columns.inputs = arguments.inputs.empty() ? default_inputs(table, taken, notes)
                                            : resolve(table, split_list("inputs", arguments.inputs));
  const MissingPolicy missing = training_policy(arguments.missing);
  std::vector<Variant> result;
  if (arguments.lags.empty()) result.push_back({"", training_samples(table, columns, missing)});
  for (const std::string& orders : arguments.lags) {
    const std::vector<long> pair = split_counts("lags", orders);
    if (pair.size() != 2 || pair[0] < 0 || pair[1] < 0 || pair[0] + pair[1] == 0)
      throw UsageError(fmt::format("--lags: '{}', expected P,Q such as 1,2", orders));
    columns.lags.input_order = pair[0];
    columns.lags.output_order = pair[1];
    columns.lags.time = arguments.time;
    result.push_back({fmt::format("lags {}, ", orders), training_samples(table, columns, missing)});
  }
  for (const std::string& note : result.front().samples.notes) notes.push_back(note);
  for (const std::string& note : notes) spdlog::info("{}: {}", table.source(), note);

  std::vector<Index> common = result.front().samples.positions;
  for (const Variant& variant : result) {
    std::vector<Index> both;
    std::set_intersection(common.begin(), common.end(), variant.samples.positions.begin(),
                          variant.samples.positions.end(), std::back_inserter(both));
    common = std::move(both);
  }
  for (Variant& variant : result) {
    std::vector<Index> kept;
    const auto& positions = variant.samples.positions;
    for (std::size_t i = 0; i < positions.size(); ++i)
      if (std::binary_search(common.begin(), common.end(), positions[i]))
        kept.push_back(static_cast<Index>(i));
    variant.samples.X = take_samples(variant.samples.X, kept);
    variant.samples.Y = take_samples(variant.samples.Y, kept);
  }
  return result;
}

std::vector<Candidate> candidates(const SelectArguments& arguments, const std::vector<Variant>& variants,
                                  const Scaler& outputs) {
  std::vector<Candidate> result;
  for (const Variant& variant : variants) {
    const Matrix X = Scaler::fit(variant.samples.X).transform(variant.samples.X);
    const Matrix Y = outputs.transform(variant.samples.Y);
    std::vector<Index> all(static_cast<std::size_t>(X.cols()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
    const Covariance V = output_covariance(Y, all);
    StatisticsOptions reading;
    reading.threads = arguments.threads;
    for (const NamedFeatures& features : candidate_features(arguments, X)) {
      throw_if_interrupted();
      const Index d = features.map.features();
      const Index p = Y.rows();
      Statistics data = encode_statistics(Encoder(features.map, {}), X, Y, Vector(), all, reading);
      for (const std::string& structure : split_list("column-covariance", arguments.column_covariance)) {
        EmOptions options;
        options.column = column_structure_from_name(structure);
        options.update_noise = arguments.covariance == "known";
        const Matrix M = Matrix::Zero(p, d);
        const Covariance K = Covariance::identity(d);
        Candidate candidate{variant.name + features.name + ", " + structure, data, NormalPrior{M, V, K},
                            options};
        if (arguments.covariance != "known")
          candidate.prior = WishartPrior{M, K, V, 2.0 * static_cast<double>(p) + 3};
        result.push_back(std::move(candidate));
      }
    }
  }
  return result;
}

int run_select(const SelectArguments& arguments) {
  if (arguments.covariance != "known" && arguments.covariance != "unknown")
    throw UsageError(fmt::format("--covariance: '{}', expected known or unknown", arguments.covariance));
  for (const std::string& structure : split_list("column-covariance", arguments.column_covariance))
    if (structure != "isotropic" && structure != "diagonal" && structure != "full")
      throw UsageError(
          fmt::format("--column-covariance: '{}', expected isotropic, diagonal or full", structure));
  const Table table = read_table(arguments.data, {.time_column = arguments.time});
  const std::vector<Variant> data = variants(arguments, table);
  const Samples& first = data.front().samples;
  if (first.X.cols() < 10)
    throw DataError(fmt::format("{}: {} samples, expected at least 10", table.source(), first.X.cols()));
  const Scaler outputs = Scaler::fit(first.Y);
  const double volume = static_cast<double>(first.Y.cols()) * outputs.log_volume();
  const std::vector<RankedCandidate> ranking =
      select(candidates(arguments, data, outputs), arguments.threads);

  if (arguments.json) {
    Json list = Json::array();
    for (const RankedCandidate& candidate : ranking)
      list.push_back({{"name", candidate.name},
                      {"log_model_evidence", json_number(candidate.evidence.log_model_evidence - volume)},
                      {"log_evidence", json_number(candidate.em.trace.back().log_evidence - volume)},
                      {"parameters", candidate.evidence.parameters},
                      {"converged", candidate.em.converged()},
                      {"steps", candidate.em.steps}});
    print_json(Json{{"n", first.X.cols()}, {"candidates", std::move(list)}});
    return kDone;
  }
  const double best = ranking.front().evidence.log_model_evidence;
  std::string text = fmt::format(
      "{} samples, best first; ln p(Y | model) with the hyperparameters integrated out\n"
      "{:<52}{:>14}{:>12}  {}\n",
      first.X.cols(), "", "ln evidence", "to best", "EM");
  for (const RankedCandidate& candidate : ranking)
    text += fmt::format("{:<52}{:>14.6g}{:>12.4g}  {} in {} steps\n", candidate.name,
                        candidate.evidence.log_model_evidence - volume,
                        candidate.evidence.log_model_evidence - best, name_of(candidate.em.end),
                        candidate.em.steps);
  print(text);
  return kDone;
}

}  // namespace

void add_select(Program& program) {
  auto arguments = std::make_shared<SelectArguments>();
  CLI::App* command = program.add(
      "select",
      "Rank fixed features, structures and lags by model evidence. Networks are not among them: they are "
      "trained on the samples that the evidence would be computed from, which makes it too large; compare "
      "them "
      "by the validation scores of 'mbll fit'",
      "  mbll select data.csv --target y\n"
      "  mbll select data.csv --target a,b --features rbf --kernels 25,50,100 --lengthscale 1,2\n"
      "  mbll select air.csv --target PM2.5 --features linear --time calendar --lags 1,1 --lags 1,2 --lags "
      "2,2");
  const auto words = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)->capture_default_str()->type_name("");
  };
  add_data(*command, arguments->data, "file with one sample per line");
  words("--target", arguments->target, "columns to predict, by name or number");
  words("--inputs", arguments->inputs, "columns to predict from; default: all others");
  words("--features", arguments->features, "kinds to try");
  words("--degree", arguments->degree, "poly: degrees to try");
  words("--kernels", arguments->kernels, "rbf, fourier: numbers of features to try");
  words("--lengthscale", arguments->lengthscale,
        "rbf, fourier: to try, in standardised inputs, times √inputs");
  words("--column-covariance", arguments->column_covariance, "structures to try");
  words("--covariance", arguments->covariance, "between outputs: known or unknown");
  command->add_option("--lags", arguments->lags, "P,Q to try; may be given several times")
      ->allow_extra_args(false)
      ->type_name("");
  words("--time", arguments->time,
        "time column for --lags, numbers or dates; 'calendar' for year, month, day, hour");
  add_missing(*command, arguments->missing, "error, drop, mean or interpolate");
  command->add_option("--seed", arguments->seed, "of centres and frequencies")
      ->capture_default_str()
      ->type_name("");
  command->add_option("--threads", arguments->threads, "0: all processors")
      ->capture_default_str()
      ->type_name("");
  command->add_flag("--json", arguments->json, "ranking as JSON");
  program.on_run(command, [arguments] { return run_select(*arguments); });
}

}  // namespace mbll::app
