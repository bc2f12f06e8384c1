#include "mbll/experiments/beijing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>

#include "experiments/beijing_data.hpp"
#include "experiments/common.hpp"
#include "mbll/data/catalogue.hpp"
#include "mbll/data/splits.hpp"
#include "mbll/em/selection.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/identity.hpp"
#include "mbll/metrics/metrics.hpp"
#include "mbll/model/pipelines.hpp"
#include "mbll/parallel.hpp"

namespace mbll::experiments {
namespace {

constexpr Index kThinned = 1000;
constexpr Index kEpochs = 40;
constexpr Index kBatch = 512;
constexpr double kRate = 3e-3;

struct Orders {
  Index input;
  Index output;
};
constexpr Orders kOrders[] = {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}};

/// Ranks the orders by the evidence of a linear layer, on the training samples that all of them have.
std::vector<RankedCandidate> rank_orders(const Station& station, int threads) {
  std::vector<Forecasting> data;
  std::vector<Index> common;
  for (const Orders& orders : kOrders) {
    data.emplace_back(station, orders.input, orders.output);
    const auto& rows = data.back().raw.samples;
    std::vector<Index> mine;
    for (const Index i : data.back().train) mine.push_back(rows[static_cast<std::size_t>(i)]);
    if (data.size() == 1) {
      common = std::move(mine);
      continue;
    }
    std::vector<Index> both;
    std::set_intersection(common.begin(), common.end(), mine.begin(), mine.end(), std::back_inserter(both));
    common = std::move(both);
  }
  // One scaling of the outputs for all, so that the evidences are densities of the same values.
  const Scaler outputs = data.front().outputs;
  std::vector<Candidate> candidates;
  for (std::size_t c = 0; c < data.size(); ++c) {
    const auto& rows = data[c].raw.samples;
    std::vector<Index> samples;
    for (const Index row : common)
      samples.push_back(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
    const FeatureMap features = WithConstant{Identity{data[c].X.rows()}};
    const Matrix Y = outputs.transform(data[c].raw.outputs);
    const Index d = features.features();
    const Index p = Y.rows();
    Statistics statistics =
        encode_statistics(Encoder(features, {}), data[c].X, Y, Vector(), samples, {.threads = threads});
    candidates.push_back({fmt::format("({}, {})", kOrders[c].input, kOrders[c].output), std::move(statistics),
                          WishartPrior{Matrix::Zero(p, d), Covariance::identity(d),
                                       output_covariance(Y, samples), 2.0 * static_cast<double>(p) + 3},
                          EmOptions{}});
  }
  return select(candidates, threads);
}

/// One-step forecasts of the test period by one model.
struct Forecast {
  std::string name;
  std::string key;
  std::unique_ptr<Predictive> predictive;  ///< in the units of the data
  Evaluation evaluation;
  double standardised_rmse = 0;            ///< over all outputs, each in its standard deviations
  std::optional<double> holiday, january;  ///< mean epistemic SD there over the test period's median
};

Forecast judge(std::string name, std::string key, const Predictive& standardised, const Forecasting& data) {
  Forecast forecast;
  forecast.name = std::move(name);
  forecast.key = std::move(key);
  forecast.predictive = standardised.rescaled(data.outputs.scale, data.outputs.mean);
  forecast.evaluation = evaluate(*forecast.predictive, take_samples(data.raw.outputs, data.test));
  forecast.standardised_rmse = rmse(standardised, take_samples(data.Y, data.test));
  return forecast;
}

void add_windows(Forecast& forecast, const SharedPredictive& predictive, const Forecasting& data) {
  const Vector sd = predictive.epistemic_factor().cwiseSqrt();  // the same ratio for every output
  const double typical = median(sd);
  const auto ratio = [&](const Window& window) {
    double sum = 0;
    Index count = 0;
    for (std::size_t i = 0; i < data.test.size(); ++i) {
      if (!window.contains(data.hour(data.test[i]))) continue;
      sum += sd(static_cast<Index>(i));
      ++count;
    }
    return sum / static_cast<double>(std::max<Index>(count, 1)) / typical;
  };
  forecast.holiday = ratio(holiday_window());
  forecast.january = ratio(january_window());
}

/// ŷ_t = y_{t−1}, with the covariance of its errors in training.
SharedPredictive persistence(const Forecasting& data, Index first_lag) {
  const Index p = data.Y.rows();
  const Matrix last = data.outputs.transform(data.raw.inputs.middleRows(first_lag, p));
  const Matrix error = take_samples(data.Y, data.train) - take_samples(last, data.train);
  const Matrix S = error * error.transpose() / static_cast<double>(error.cols());
  const auto points = static_cast<Index>(data.test.size());
  return {take_samples(last, data.test), Vector::Ones(points), Vector::Zero(points), S,
          std::numeric_limits<double>::infinity()};
}

LayerOptions layer_options(bool diagonal) {
  LayerOptions layer;
  layer.covariance_known = false;
  layer.prior_mean = PriorMean::ones;
  layer.nu_excess = 3;
  layer.column = diagonal ? ColumnStructure::diagonal : ColumnStructure::isotropic;
  layer.row = diagonal ? RowStructure::diagonal : RowStructure::isotropic;
  return layer;
}

MemberFit train_network(const Forecasting& data, const ExperimentOptions& options,
                        const std::function<void(double)>& progress) {
  NetworkOptions network;
  network.hidden = {128, 128, 128, 128};
  network.activation = nn::Activation::softplus;
  network.training.epochs = kEpochs;
  network.training.batch = kBatch;
  network.training.optimiser.rate = kRate;
  network.training.optimiser.clip_norm = 1;
  network.training.schedule.kind = nn::Schedule::one_cycle;
  network.training.progress = [&](const nn::EpochReport& epoch) {
    progress(static_cast<double>(epoch.epoch + 1) / kEpochs);
    return true;
  };
  return fit_network(data.X, data.Y, Vector(), data.train, data.validation, network, layer_options(false), {},
                     options.seed, options.threads);
}

struct StationResult {
  std::string name;
  Orders orders{};
  std::vector<RankedCandidate> ranking;
  std::vector<Forecast> forecasts;
  std::vector<Index> counts;  ///< training, validation, test
  std::vector<report::Section> windows;
};

report::Section window_section(const std::string& heading, const Window& window, const Forecasting& data,
                               const Predictive& predictive, const report::Names& names) {
  std::vector<Index> positions;
  for (std::size_t i = 0; i < data.test.size(); ++i)
    if (window.contains(data.hour(data.test[i]))) positions.push_back(static_cast<Index>(i));
  std::vector<Index> samples;
  for (const Index position : positions) samples.push_back(data.test[static_cast<std::size_t>(position)]);
  const report::SampleAxis axis{report::AxisKind::time, "hour", 3600 * data.hour(samples)};
  report::Section section = report::prediction_section(
      names, axis,
      report::Prediction(take_samples(predictive.mean(), positions),
                         take_samples(predictive.aleatoric_variance().cwiseSqrt(), positions),
                         take_samples(predictive.epistemic_variance().cwiseSqrt(), positions)),
      take_samples(data.raw.outputs, samples));
  section.heading = heading;
  return section;
}

StationResult run_station(const std::string& name, const ExperimentOptions& options,
                          const std::function<void(double, const std::string&)>& progress) {
  StationResult result;
  result.name = name;
  progress(0, "reading");
  const Station station = load_station(name, options.data_dir);
  progress(0.02, "orders by evidence");
  result.ranking = rank_orders(station, options.threads);
  result.orders = kOrders[result.ranking.front().position];
  const Forecasting data(station, result.orders.input, result.orders.output);
  result.counts = {static_cast<Index>(data.train.size()), static_cast<Index>(data.validation.size()),
                   static_cast<Index>(data.test.size())};
  const Matrix test = take_samples(data.X, data.test);
  const Index first_lag = static_cast<Index>(station.input_names.size()) * result.orders.input;
  result.forecasts.push_back(judge("persistence", "persistence", persistence(data, first_lag), data));
  LayerOptions linear = layer_options(false);
  linear.prior_mean = PriorMean::zero;
  linear.row = RowStructure::full;
  const MemberFit varx = fit_fixed(WithConstant{Identity{data.X.rows()}}, data.X, data.Y, Vector(),
                                   data.train, linear, options.threads);
  result.forecasts.push_back(judge("linear VARX", "linear", varx.member.predict(test), data));

  const MemberFit network = train_network(data, options, [&](double share) {
    progress(0.1 + 0.75 * share, fmt::format("training on {} samples", data.train.size()));
  });
  const Encoder& encoder = network.member.encoder;
  Rng rng = make_rng(options.seed, 1);
  std::vector<Index> thinned;
  for (const Index i : permutation(static_cast<Index>(data.train.size()), rng)) {
    if (static_cast<Index>(thinned.size()) == kThinned) break;
    thinned.push_back(data.train[static_cast<std::size_t>(i)]);
  }
  for (const bool all : {false, true}) {
    progress(all ? 0.92 : 0.86, all ? "Bayesian layer, all rows" : "Bayesian layer, 1000 rows");
    const std::vector<Index>& samples = all ? data.train : thinned;
    const Statistics statistics =
        encode_statistics(encoder, data.X, data.Y, Vector(), samples, {.threads = options.threads});
    for (const bool diagonal : {false, true}) {
      const LayerFit layer =
          fit_layer(statistics, output_covariance(data.Y, samples), std::nullopt, layer_options(diagonal));
      const SharedPredictive predictive = Member{encoder, layer.posterior}.predict(test);
      const char* structure = diagonal ? "diagonal" : "isotropic";
      const std::string rows = all ? "all" : std::to_string(kThinned);
      Forecast forecast = judge(fmt::format("network, N = {}, {} K and Ψ", rows, structure),
                                fmt::format("network_{}_{}", rows, structure), predictive, data);
      add_windows(forecast, predictive, data);
      if (!diagonal) {
        const std::string by = fmt::format(", N = {}", rows);
        result.windows.push_back(window_section("26 December 2016 to 5 January 2017" + by, holiday_window(),
                                                data, *forecast.predictive, station.output_names));
        result.windows.push_back(window_section("10 to 20 January 2017" + by, january_window(), data,
                                                *forecast.predictive, station.output_names));
      }
      result.forecasts.push_back(std::move(forecast));
    }
  }
  return result;
}

Json station_json(const StationResult& result, const std::vector<std::string>& outputs) {
  Json models = Json::object();
  for (const Forecast& forecast : result.forecasts) {
    const Evaluation& scores = forecast.evaluation;
    Json per_output = Json::object();
    for (std::size_t j = 0; j < outputs.size(); ++j)
      per_output[outputs[j]] = {{"rmse", scores.outputs[j].rmse},
                                {"nll", scores.outputs[j].nll},
                                {"ece", scores.outputs[j].ece},
                                {"crps", scores.outputs[j].crps}};
    Json& model = models[forecast.key];
    model = {{"nll", scores.joint.nll},
             {"ece", scores.joint.ece},
             {"rmse_standardised", forecast.standardised_rmse},
             {"outputs", std::move(per_output)}};
    if (forecast.holiday)
      model["epistemic_ratio"] = {{"holiday", *forecast.holiday}, {"january", *forecast.january}};
  }
  Json ranking = Json::array();
  for (const RankedCandidate& candidate : result.ranking)
    ranking.push_back(
        {{"orders", candidate.name}, {"log_model_evidence", candidate.evidence.log_model_evidence}});
  return {{"orders", {result.orders.input, result.orders.output}},
          {"samples",
           {{"train", result.counts[0]}, {"validation", result.counts[1]}, {"test", result.counts[2]}}},
          {"ranking", std::move(ranking)},
          {"models", std::move(models)}};
}

std::vector<Comparison> station_rows(const StationResult& result) {
  std::vector<Comparison> rows{
      {result.name + ": (P, Q) by evidence of linear features", "(1, 2), others similar",
       fmt::format(
           "{}, then {} ({:.0f} below)", result.ranking[0].name, result.ranking[1].name,
           result.ranking[0].evidence.log_model_evidence - result.ranking[1].evidence.log_model_evidence)}};
  for (const Forecast& forecast : result.forecasts)
    rows.push_back({fmt::format("{}: {}: RMSE (standardised) / NLL / ECE", result.name, forecast.name), "",
                    fmt::format("{:.4f} / {:.3f} / {:.3f}", forecast.standardised_rmse,
                                forecast.evaluation.joint.nll, forecast.evaluation.joint.ece)});
  for (const Forecast& forecast : result.forecasts)
    if (forecast.holiday)
      rows.push_back(
          {fmt::format("{}: {}: epistemic SD over its median, holiday / January", result.name, forecast.name),
           "“significantly above” / “baseline”",
           fmt::format("{:.2f} / {:.2f}", *forecast.holiday, *forecast.january)});
  return rows;
}

report::Section output_table(const StationResult& result, const std::vector<std::string>& outputs) {
  report::Table table;
  table.title = "RMSE of one-step forecasts, by pollutant";
  table.caption = "In µg/m³, as the data.";
  table.columns = {""};
  table.columns.insert(table.columns.end(), outputs.begin(), outputs.end());
  for (const Forecast& forecast : result.forecasts) {
    std::vector<report::Cell> row{forecast.name};
    for (const Evaluation::Scores& scores : forecast.evaluation.outputs) row.emplace_back(scores.rmse);
    table.rows.push_back(std::move(row));
  }
  return report::table_section(result.name + ": forecasts", "Errors one hour ahead on the test period.",
                               std::move(table));
}

std::vector<std::string> station_names(const ExperimentOptions& options) {
  if (options.stations.empty()) return {"tiantan"};
  if (options.stations != std::vector<std::string>{"all"}) return options.stations;
  std::vector<std::string> all;
  const std::string prefix = "beijing-";
  for (const PublicSet& set : public_sets())
    if (set.name.starts_with(prefix)) all.push_back(set.name.substr(prefix.size()));
  return all;
}

}  // namespace

ExperimentResult run_beijing(const ExperimentOptions& options) {
  const std::vector<std::string> names = station_names(options);
  for (const std::string& name : names) (void)public_set("beijing-" + name);
  std::vector<StationResult> results(names.size());
  std::mutex mutex;
  std::vector<double> shares(names.size(), 0.0);
  parallel_for(static_cast<Index>(names.size()), thread_count(options.threads), [&](Index i) {
    const auto slot = static_cast<std::size_t>(i);
    results[slot] = run_station(names[slot], options, [&](double share, const std::string& stage) {
      const std::scoped_lock lock(mutex);
      shares[slot] = share;
      double sum = 0;
      for (const double part : shares) sum += part;
      tell(options, sum / static_cast<double>(shares.size()), names[slot] + ": " + stage);
    });
  });
  tell(options, 1, "done");

  const std::vector<std::string>& outputs = public_set("beijing-" + names.front()).targets;
  Json stations = Json::object();
  std::vector<Comparison> rows;
  report::Report page;
  page.title = "Air quality in Beijing";
  page.subtitle = "Six pollutants one hour ahead, by a VARX network with a Bayesian last layer";
  for (StationResult& result : results) {
    stations[result.name] = station_json(result, outputs);
    const std::vector<Comparison> mine = station_rows(result);
    rows.insert(rows.end(), mine.begin(), mine.end());
    page.sections.push_back(output_table(result, outputs));
    for (report::Section& section : result.windows) {
      section.heading = result.name + ": " + section.heading;
      page.sections.push_back(std::move(section));
    }
  }
  page.sections.insert(page.sections.begin(), comparison_section(rows));
  const Json json{{"experiment", "beijing"},
                  {"settings",
                   {{"seed", options.seed},
                    {"hidden", {128, 128, 128, 128}},
                    {"activation", "softplus"},
                    {"epochs", kEpochs},
                    {"batch", kBatch},
                    {"rate", kRate},
                    {"prior_mean", "ones"},
                    {"nu", 15},
                    {"thinned", kThinned},
                    {"units",
                     "NLL, ECE and per-output scores in the units of the data; rmse_standardised in standard "
                     "deviations"}}},
                  {"stations", std::move(stations)}};
  return {json.dump(1), std::move(page),
          comparison_text("Beijing air quality (figures beijing, beijing_3)", rows)};
}

}  // namespace mbll::experiments
