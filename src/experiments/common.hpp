#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mbll/em/em.hpp"
#include "mbll/experiments/experiment.hpp"
#include "mbll/report/sections.hpp"

/// What the experiments share: progress, JSON of traces, and the table with the paper's numbers beside ours.
namespace mbll::experiments {

using Json = nlohmann::ordered_json;

/// Tells how far the experiment has come. Throws Cancelled if the caller wants no more.
void tell(const ExperimentOptions& options, double fraction, const std::string& stage);

/// What an experiment that the paper describes came to.
struct Comparison {
  std::string quantity;
  std::string paper;  ///< as the paper states it; empty if it does not
  std::string ours;
};
[[nodiscard]] std::string comparison_text(const std::string& title, const std::vector<Comparison>& rows);
[[nodiscard]] report::Section comparison_section(const std::vector<Comparison>& rows);

/// The points of an EM run, field by field.
[[nodiscard]] Json trace_json(const std::vector<EmStep>& trace);
/// Log-evidence, tr K and the largest relative change by step.
[[nodiscard]] report::Section trace_section(const std::vector<EmStep>& trace, const std::string& ending);

[[nodiscard]] Json vector_json(const VectorView& values);
[[nodiscard]] Vector evenly_spaced(double first, double last, Index count);
/// Middle of the sorted values: the mean of both middle ones for an even number. Throws InvalidArgument for
/// none.
[[nodiscard]] double median(Vector values);

}  // namespace mbll::experiments
