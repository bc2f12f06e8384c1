#pragma once

#include <string>
#include <vector>

#include "mbll/data/lags.hpp"
#include "mbll/data/scaler.hpp"

/// The Beijing experiment's data: one station's hours, its lags, its parts in time.
namespace mbll::experiments {

/// Hours from `first` to before `last`, since 1970.
struct Window {
  double first;
  double last;

  [[nodiscard]] bool contains(double hour) const { return hour >= first && hour < last; }
};
[[nodiscard]] Window holiday_window();  ///< 26 December 2016 to 5 January 2017
[[nodiscard]] Window january_window();  ///< 10 to 20 January 2017

struct Station {
  std::string name;
  std::vector<std::string> input_names, output_names;
  Matrix X;     ///< 5×N weather, missing values as NaN
  Matrix Y;     ///< 6×N pollutants
  Vector hour;  ///< N, since 1970
};
[[nodiscard]] Station load_station(const std::string& name, const std::string& folder);

/// Lagged samples without missing values, standardised by the training part: three years, then half a year of
/// validation, then the test.
struct Forecasting {
  LaggedData raw;
  Scaler inputs, outputs;
  Matrix X;     ///< q×M, standardised
  Matrix Y;     ///< p×M, standardised
  Vector hour;  ///< M
  std::vector<Index> train, validation, test;

  Forecasting(const Station& station, Index input_order, Index output_order);
};

}  // namespace mbll::experiments
