#pragma once

#include <string>
#include <vector>

#include "mbll/core.hpp"
#include "mbll/data/table.hpp"

namespace mbll {

/// Orders of a (P, Q)-VARX regression: y_t from x̃_t = [x_t, …, x_{t−P+1}, y_{t−1}, …, y_{t−Q}]. P counts the
/// present inputs, so that P = 1 takes x_t alone; with 5 inputs, 6 outputs, P = 1 and Q = 2 there are q = 5·1
/// + 6·2 = 17 regressors.
struct LagOptions {
  Index input_order = 1;       ///< P ≥ 0
  Index output_order = 2;      ///< Q ≥ 0, P + Q ≥ 1
  double step = 0;             ///< time between neighbours; 0: the median difference of the times
  bool outputs_needed = true;  ///< false: keep samples whose y_t is not known (forecasting)

  /// Throws InvalidArgument.
  void validate() const;
};

struct LaggedData {
  Matrix inputs;                         ///< (n_x·P + n_y·Q)×M, no missing value
  Matrix outputs;                        ///< n_y×M; NaN only if outputs are not needed
  std::vector<std::string> input_names;  ///< "TEMP", "TEMP[t-1]", …, "PM2.5[t-1]", …
  std::vector<Index> samples;            ///< M, which time t each is
  Index dropped_start = 0;               ///< samples without a past: the first ones
  Index dropped_gaps = 0;                ///< …, whose past is not there at the right distance in time
  Index dropped_missing = 0;             ///< …, with a missing value in y_t or x̃_t
};

/// Samples are in the order of time. Without `time` neighbours are one step apart; with it only a past that
/// lies exactly (to 10⁻⁶ steps) k steps back is used. Throws InvalidArgument if shapes do not fit or times do
/// not increase. Cost O(qN).
[[nodiscard]] LaggedData build_lags(const MatrixView& X /* n_x×N */, const std::vector<std::string>& x_names,
                                    const MatrixView& Y /* n_y×N */, const std::vector<std::string>& y_names,
                                    const LagOptions& options = {}, const Vector& time = {} /* N or empty */);

/// Hours since 1970-01-01 00:00 from the columns year, month, day and, if there is one, hour (N). Throws
/// DataError for a column that is not there or a date that does not exist.
[[nodiscard]] Vector calendar_hours(const Table& table);

}  // namespace mbll
