#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mbll/core.hpp"
#include "mbll/report/figure.hpp"

/// The paper's experiments, each as one function from options to numbers, figures and a table.
namespace mbll::experiments {

struct ExperimentOptions {
  std::string data_dir;               ///< of the public sets; empty: the folder that MBLL_DATA names
  std::vector<std::string> datasets;  ///< of uci; empty: all
  std::vector<std::string> rows;      ///< of uci: scalar, hyper, default; empty: all
  std::vector<std::string> stations;  ///< of beijing; empty: tiantan; "all": all
  Index seeds = 20;                   ///< of uci: repetitions
  std::uint64_t seed = 0;             ///< the first seed
  int threads = 0;                    ///< 0: all cores. Does not change the result.
  /// How far the experiment has come, 0 … 1, possibly from several threads (never at once); false stops it
  /// with Cancelled (mbll/model/fit.hpp).
  std::function<bool(double fraction, const std::string& stage)> progress;
};

struct ExperimentResult {
  std::string results;    ///< JSON: settings, seeds and every number, the same for the same options
  report::Report report;  ///< the paper's figures
  std::string table;      ///< for the terminal: the paper's numbers beside these
};

}  // namespace mbll::experiments
