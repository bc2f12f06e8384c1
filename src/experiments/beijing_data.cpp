#include "experiments/beijing_data.hpp"

#include <chrono>

#include "mbll/data/catalogue.hpp"
#include "mbll/data/table.hpp"

namespace mbll::experiments {
namespace {

double hour_of(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  const sys_days date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  return 24.0 * static_cast<double>(date.time_since_epoch().count());
}

}  // namespace

Window holiday_window() { return {hour_of(2016, 12, 26), hour_of(2017, 1, 6)}; }
Window january_window() { return {hour_of(2017, 1, 10), hour_of(2017, 1, 21)}; }

Station load_station(const std::string& name, const std::string& folder) {
  const PublicSet& set = public_set("beijing-" + name);
  const Table table = load_public(set, folder);
  return {name,
          set.inputs,
          set.targets,
          table.select(table.column_indices(set.inputs)),
          table.select(table.column_indices(set.targets)),
          calendar_hours(table)};
}

Forecasting::Forecasting(const Station& station, Index input_order, Index output_order) {
  LagOptions lags;
  lags.input_order = input_order;
  lags.output_order = output_order;
  lags.step = 1;
  raw = build_lags(station.X, station.input_names, station.Y, station.output_names, lags, station.hour);
  const double train_end = hour_of(2016, 3, 1);
  const double validation_end = hour_of(2016, 9, 1);
  hour = station.hour(raw.samples);
  for (Index i = 0; i < hour.size(); ++i)
    (hour(i) < train_end ? train : hour(i) < validation_end ? validation : test).push_back(i);
  inputs = Scaler::fit(take_samples(raw.inputs, train));
  outputs = Scaler::fit(take_samples(raw.outputs, train));
  X = inputs.transform(raw.inputs);
  Y = outputs.transform(raw.outputs);
}

}  // namespace mbll::experiments
