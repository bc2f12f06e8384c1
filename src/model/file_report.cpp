#include <algorithm>
#include <array>
#include <cmath>

#include "model/file_parts.hpp"

namespace mbll::file {
namespace {

struct TraceColumn {
  const char* name;
  double EmStep::*value;
};
/// Beside "evaluations", which is a whole number.
constexpr std::array trace_columns = {TraceColumn{"log_evidence", &EmStep::log_evidence},
                                      TraceColumn{"log_hyperprior", &EmStep::log_hyperprior},
                                      TraceColumn{"parameter_change", &EmStep::parameter_change},
                                      TraceColumn{"evidence_change", &EmStep::evidence_change},
                                      TraceColumn{"column_trace", &EmStep::column_trace},
                                      TraceColumn{"condition", &EmStep::condition},
                                      TraceColumn{"effective_parameters", &EmStep::effective_parameters},
                                      TraceColumn{"noise_scale", &EmStep::noise_scale}};

Json trace_to_json(const std::vector<EmStep>& trace) {
  Json evaluations = Json::array();
  for (const EmStep& step : trace) evaluations.push_back(step.evaluations);
  Json result = {{"evaluations", std::move(evaluations)}};
  for (const TraceColumn& column : trace_columns) {
    Json values = Json::array();
    for (const EmStep& step : trace) values.push_back(number(step.*column.value));
    result[column.name] = std::move(values);
  }
  return result;
}

std::vector<EmStep> trace_from(const Field& field) {
  const std::vector<Index> evaluations = field["evaluations"].counts();
  std::vector<EmStep> trace(evaluations.size());
  for (std::size_t i = 0; i < trace.size(); ++i)
    trace[i].evaluations = static_cast<int>(std::min<Index>(evaluations[i], 1 << 30));
  for (const TraceColumn& column : trace_columns) {
    const Vector values = field[column.name].numbers(std::ssize(trace));
    for (std::size_t i = 0; i < trace.size(); ++i) trace[i].*column.value = values(static_cast<Index>(i));
  }
  return trace;
}

Json scores_to_json(const Evaluation::Scores& scores) {
  return {{"rmse", number(scores.rmse)},
          {"nll", number(scores.nll)},
          {"ece", number(scores.ece)},
          {"crps", number(scores.crps)},
          {"sharpness", number(scores.sharpness)},
          {"interval_score", number(scores.interval_score)},
          {"coverage", numbers(scores.coverage)}};
}

Evaluation::Scores scores_from(const Field& field) {
  Evaluation::Scores scores;
  scores.rmse = field["rmse"].number();
  scores.nll = field["nll"].number();
  scores.ece = field["ece"].number();
  scores.crps = field["crps"].number();
  scores.sharpness = field["sharpness"].number();
  scores.interval_score = field["interval_score"].number();
  scores.coverage = field["coverage"].numbers();
  return scores;
}

}  // namespace

Json report_to_json(const FitReport& report) {
  const Vector losses =
      Eigen::Map<const Vector>(report.training_loss.data(), std::ssize(report.training_loss));
  return {{"pipeline", report.pipeline},
          {"features", report.features},
          {"samples", report.samples},
          {"seed", report.seed},
          {"log_evidence", number(report.log_evidence)},
          {"evidence_samples", report.evidence_samples},
          {"evidence_is_conditional", report.evidence_is_conditional},
          {"converged", report.converged},
          {"em_steps", report.em_steps},
          {"em_end", report.em_end},
          {"trace", trace_to_json(report.trace)},
          {"training_loss", numbers(losses)},
          {"validation_samples", report.validation_samples},
          {"validation", scores_to_json(report.validation)}};
}

FitReport report_from(const Field& field) {
  FitReport report;
  report.pipeline = field["pipeline"].text();
  report.features = field["features"].text();
  report.samples = field["samples"].count();
  report.seed = field["seed"].seed();
  report.log_evidence = field["log_evidence"].number();
  report.evidence_samples = field["evidence_samples"].count();
  report.evidence_is_conditional = field["evidence_is_conditional"].flag();
  report.converged = field["converged"].flag();
  report.em_steps = static_cast<int>(std::min<Index>(field["em_steps"].count(), 1 << 30));
  report.em_end = field["em_end"].text();
  report.trace = trace_from(field["trace"]);
  const Vector losses = field["training_loss"].numbers();
  report.training_loss.assign(losses.begin(), losses.end());
  report.validation_samples = field["validation_samples"].count();
  report.validation = scores_from(field["validation"]);
  return report;
}

}  // namespace mbll::file
