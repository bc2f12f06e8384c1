#include "page.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mbll/metrics/metrics.hpp"
#include "mbll/report/sections.hpp"

namespace mbll::app {
namespace {

using report::AxisKind;
using report::convergence_section;
using report::correlation_section;
using report::CurveStyle;
using report::Lines;
using report::Overlay;
using report::Report;
using report::SampleAxis;
using report::Scale;
using report::Section;

SampleAxis axis_of(const Model& model, const Samples& samples) {
  const LagSpec& lags = model.parts().lags;
  if (samples.time.size() > 0) {
    if (lags.time == "calendar") return {AxisKind::time, "", samples.time};
    return {AxisKind::value, lags.time, samples.time};
  }
  if (!lags.empty()) return {};
  if (model.inputs() == 1)
    return {AxisKind::value, model.input_names().front(), samples.X.row(0).transpose()};
  return {AxisKind::ordered, "", {}};
}

/// One input: the curve itself between and a little beyond the samples, these as points.
Section curve_section(const Model& model, const Samples& samples) {
  const double low = samples.X.minCoeff();
  const double high = samples.X.maxCoeff();
  const double margin = 0.15 * (high - low);
  const Vector grid = Vector::LinSpaced(500, low - margin, high + margin);
  Overlay overlay;
  if (samples.Y.rows() > 0) {
    overlay.observation_x = samples.X.row(0).transpose();
    overlay.observations = samples.Y;
  }
  return prediction_section(model.output_names(), {AxisKind::value, model.input_names().front(), grid},
                            *model.predict(grid.transpose()), Matrix(), overlay);
}

Section training_section(const FitReport& report) {
  const auto of = [&](double EmStep::*value) {
    Vector values(std::ssize(report.trace));
    for (Index i = 0; i < values.size(); ++i) values(i) = report.trace[static_cast<std::size_t>(i)].*value;
    return values;
  };
  if (report.trace.empty()) {
    const Vector losses =
        Eigen::Map<const Vector>(report.training_loss.data(), std::ssize(report.training_loss));
    return convergence_section({{"training loss of the first member, by epoch", losses, false}},
                               "Hyperparameters were chosen by the evidence of held-out samples given the "
                               "others, not by EM.");
  }
  return convergence_section(
      {{"log-evidence (standardised units)", of(&EmStep::log_evidence), false},
       {"tr K", of(&EmStep::column_trace), true},
       {"relative change", of(&EmStep::parameter_change), true}},
      fmt::format("It {} after {} steps.", report.converged ? "converged" : "did not converge",
                  report.em_steps));
}

/// ln p of the samples for priors A ~ MN(0, V, k I) over k, with the noise as it was fitted.
std::vector<Section> evidence_section(const Model& model, const Samples& samples) {
  const Model::Parts& parts = model.parts();
  if (parts.members.size() != 1 || parts.report.trace.empty() || samples.Y.rows() == 0) return {};
  const Member& member = parts.members.front();
  std::vector<Index> all(static_cast<std::size_t>(samples.X.cols()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  const Statistics data = encode_statistics(member.encoder, parts.inputs.transform(samples.X),
                                            parts.outputs.transform(samples.Y), samples.sigma, all);
  const Index d = member.posterior.features();
  const double chosen = parts.report.trace.back().column_trace / static_cast<double>(d);
  if (!(chosen > 0) || !std::isfinite(chosen)) return {};
  const Covariance V = Covariance::from_matrix(member.posterior.noise_covariance());
  const Vector k =
      Vector::LinSpaced(41, -4, 4).unaryExpr([&](double e) { return chosen * std::pow(10.0, e); });
  const Vector evidence = k.unaryExpr([&](double value) {
    return condition(NormalPrior{Matrix::Zero(model.outputs(), d), V, Covariance::isotropic(d, value)}, data)
               .log_evidence() -
           static_cast<double>(samples.X.cols()) * parts.outputs.log_volume();
  });
  Lines lines;
  lines.x = {"k", Scale::logarithmic};
  lines.y = {"log-evidence", Scale::linear};
  lines.curves = {{"log-evidence", k, evidence, CurveStyle::line}};
  lines.marks = {{chosen, "chosen"}};
  return {lines_section("Evidence over k",
                        "Log-evidence of these samples for the prior mean 0 and K = k I, with features and "
                        "noise as fitted. Too small a k forbids what the data says, too large a k allows "
                        "anything.",
                        lines)};
}

}  // namespace

Report make_page(const Model& model, const Samples& samples, const PageOptions& options) {
  const bool observed = samples.Y.rows() > 0;
  const auto predictive = model.predict(samples.X, samples.sigma);
  const FitReport& fit = model.report();
  Report page;
  page.title = options.title;
  page.subtitle =
      fmt::format("{}: {} samples{}. {}, {}.", options.data, samples.X.cols(),
                  options.training ? ", those that the model was fitted to" : "", fit.features, fit.pipeline);
  page.summary = {{"samples", static_cast<double>(samples.X.cols())}};
  if (observed) {
    const Evaluation scores = evaluate(*predictive, samples.Y);
    page.summary.insert(page.summary.end(), {{"RMSE", scores.joint.rmse},
                                             {"NLL", scores.joint.nll},
                                             {"ECE", scores.joint.ece},
                                             {"CRPS", scores.joint.crps}});
  }
  if (fit.validation_samples > 0) {
    page.summary.emplace_back("validation RMSE", fit.validation.rmse);
    page.summary.emplace_back("validation NLL", fit.validation.nll);
  }
  page.summary.emplace_back("log-evidence", fit.log_evidence);
  page.summary.emplace_back("hyperparameters", std::string(fit.converged ? "converged" : "not converged"));

  page.sections = evaluation_sections(model.output_names(), axis_of(model, samples), *predictive, samples.Y);
  const bool curve = model.inputs() == 1 && model.parts().lags.empty() && !model.needs_given_noise();
  if (curve && samples.X.maxCoeff() > samples.X.minCoeff())
    page.sections.front() = curve_section(model, samples);
  page.sections.push_back(training_section(fit));
  if (model.outputs() > 1)
    page.sections.push_back(correlation_section(model.output_names(), model.noise_covariance()));
  for (Section& section : evidence_section(model, samples)) page.sections.push_back(std::move(section));
  return page;
}

}  // namespace mbll::app
