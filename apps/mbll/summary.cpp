#include "summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace mbll::app {
namespace {

constexpr std::array level_names = {"0.5", "0.9", "0.95", "0.99"};

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 8;
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, … ({} in all)", fmt::join(names.begin(), names.begin() + shown, ", "),
                     names.size());
}

std::string line(const char* label, const std::string& text) {
  return fmt::format("{:<12}{}\n", label, text);
}

std::string noise_words(const Model& model) {
  const NoiseModel& noise = model.parts().members.front().encoder.noise();
  switch (noise.kind) {
    case NoiseModel::Kind::network:
      return fmt::format("σ(x) by the network to the power {:g}", noise.exponent);
    case NoiseModel::Kind::given:
      return fmt::format("σ from column {}", model.parts().noise_column);
    case NoiseModel::Kind::constant:
      break;
  }
  return "constant σ";
}

std::string members_words(const Model& model) {
  const Model::Parts& parts = model.parts();
  const Posterior& posterior = parts.members.front().posterior;
  return fmt::format("{} member{}, {} features each; {}; covariance between outputs {}", parts.members.size(),
                     parts.members.size() == 1 ? "" : "s", posterior.features(), noise_words(model),
                     posterior.noise_known() ? "known (Gaussian)" : "unknown (Student t)");
}

std::string evidence_words(const FitReport& report) {
  const double per_sample =
      report.log_evidence / static_cast<double>(std::max<Index>(1, report.evidence_samples));
  return fmt::format("ln p = {:.6g} of {} samples, {:.4g} each ({})", report.log_evidence,
                     report.evidence_samples, per_sample,
                     report.evidence_is_conditional ? "held-out samples given the others"
                                                    : "of the samples it was fitted to");
}

/// What chose the hyperparameters, and how that ended.
std::string ending_words(const FitReport& report) {
  if (report.evidence_is_conditional)
    return report.converged ? "conditional evidence maximised, every member converged"
                            : "conditional evidence: NOT every member converged";
  return fmt::format("EM {} after {} steps{}",
                     report.em_end == "step_limit" ? "reached its step limit" : report.em_end,
                     report.em_steps,
                     report.converged                  ? ""
                     : report.pipeline == "end-to-end" ? "; the rounds did NOT settle"
                                                       : "; NOT converged");
}

Json scores_json(const Evaluation::Scores& scores) {
  Json json = {{"rmse", json_number(scores.rmse)},
               {"nll", json_number(scores.nll)},
               {"ece", json_number(scores.ece)},
               {"crps", json_number(scores.crps)},
               {"sharpness", json_number(scores.sharpness)}};
  Json coverage = Json::object();
  for (std::size_t i = 0; i < level_names.size() && static_cast<Index>(i) < scores.coverage.size(); ++i)
    coverage[level_names[i]] = json_number(scores.coverage(static_cast<Index>(i)));
  json["coverage"] = std::move(coverage);
  return json;
}

std::string scores_row(const std::string& name, const Evaluation::Scores& scores) {
  std::string row = fmt::format("{:<16}{:>11.5g}{:>11.5g}{:>9.3f}{:>11.5g}{:>11.5g}", name, scores.rmse,
                                scores.nll, scores.ece, scores.crps, scores.sharpness);
  for (Index i = 0; i < scores.coverage.size(); ++i) row += fmt::format("{:>7.3f}", scores.coverage(i));
  return row + "\n";
}

std::string scores_header() {
  std::string row =
      fmt::format("{:<16}{:>11}{:>11}{:>9}{:>11}{:>11}", "", "RMSE", "NLL", "ECE", "CRPS", "sharpness");
  for (const char* level : {"50 %", "90 %", "95 %", "99 %"}) row += fmt::format("{:>7}", level);
  return row + "\n";
}

}  // namespace

std::string model_text(const Model& model) {
  const Model::Parts& parts = model.parts();
  const FitReport& report = parts.report;
  std::string text;
  text += line("data", fmt::format("{} samples; {} from {}", report.samples, listed(parts.output_names),
                                   listed(parts.input_names)));
  if (!parts.lags.empty())
    text += line("lags", fmt::format("P = {}, Q = {}{}", parts.lags.input_order, parts.lags.output_order,
                                     parts.lags.time.empty() ? "" : ", time from " + parts.lags.time));
  text += line("model", fmt::format("{}, {}, seed {}", report.features, report.pipeline, report.seed));
  text += line("", members_words(model));
  text += line("evidence", evidence_words(report));
  text += line("fit", ending_words(report));
  if (report.validation_samples > 0) {
    const Evaluation::Scores& scores = report.validation;
    text += line("validation", fmt::format("{} samples {}: RMSE {:.5g}, NLL {:.5g}, ECE {:.3f}, CRPS {:.5g}",
                                           report.validation_samples,
                                           report.evidence_is_conditional ? "out of fold" : "held out",
                                           scores.rmse, scores.nll, scores.ece, scores.crps));
    if (scores.coverage.size() == std::ssize(level_names))
      text += line(
          "", fmt::format("coverage of the 50/90/95/99 % regions: {:.3f} {:.3f} {:.3f} {:.3f}",
                          scores.coverage(0), scores.coverage(1), scores.coverage(2), scores.coverage(3)));
  } else {
    text += line("validation", "none: no samples were held out (use 'mbll evaluate' on others)");
  }
  return text;
}

Json model_json(const Model& model) {
  const Model::Parts& parts = model.parts();
  const FitReport& report = parts.report;
  const Member& first = parts.members.front();
  Json json = {{"samples", report.samples},
               {"inputs", parts.input_names},
               {"outputs", parts.output_names},
               {"features", report.features},
               {"train", report.pipeline},
               {"seed", report.seed},
               {"members", parts.members.size()},
               {"feature_count", first.posterior.features()},
               {"covariance", first.posterior.noise_known() ? "known" : "unknown"},
               {"log_evidence", json_number(report.log_evidence)},
               {"evidence_samples", report.evidence_samples},
               {"evidence_is_conditional", report.evidence_is_conditional},
               {"converged", report.converged},
               {"em", {{"steps", report.em_steps}, {"end", report.em_end}}}};
  if (!parts.noise_column.empty()) json["noise_column"] = parts.noise_column;
  if (!parts.lags.empty())
    json["lags"] = {{"P", parts.lags.input_order},
                    {"Q", parts.lags.output_order},
                    {"inputs", parts.lags.inputs},
                    {"time", parts.lags.time}};
  if (report.validation_samples > 0) {
    json["validation"] = {{"n", report.validation_samples}};
    json["validation"].update(scores_json(report.validation));
  } else {
    json["validation"] = nullptr;
  }
  return json;
}

std::string evaluation_text(const Evaluation& evaluation, const std::vector<std::string>& names) {
  std::string text = fmt::format("{} samples\n{}", evaluation.samples, scores_header());
  for (std::size_t j = 0; j < names.size(); ++j) text += scores_row(names[j], evaluation.outputs[j]);
  if (names.size() > 1) text += scores_row("all together", evaluation.joint);
  return text;
}

Json evaluation_json(const Evaluation& evaluation, const std::vector<std::string>& names) {
  Json json = {{"n", evaluation.samples}};
  json.update(scores_json(evaluation.joint));
  Json outputs = Json::object();
  for (std::size_t j = 0; j < names.size(); ++j) outputs[names[j]] = scores_json(evaluation.outputs[j]);
  json["outputs"] = std::move(outputs);
  return json;
}

}  // namespace mbll::app
