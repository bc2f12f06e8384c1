#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "mbll/error.hpp"
#include "mbll/report/sections.hpp"
#include "mbll/report/thinning.hpp"
#include "report/samples.hpp"

namespace mbll::report {
namespace {

constexpr double histogram_end = 4;
constexpr int histogram_bins = 32;

HistogramPanel residual_histogram(const std::string& name, const VectorView& z) {
  HistogramPanel panel{name, Vector::LinSpaced(histogram_bins + 1, -histogram_end, histogram_end),
                       Vector::Zero(histogram_bins), z.mean(), 0};
  panel.sd = std::sqrt((z.array() - panel.mean).square().mean());
  const double width = 2 * histogram_end / histogram_bins;
  for (const double value : z) {
    const double bin = std::clamp(std::floor((value + histogram_end) / width), 0.0, histogram_bins - 1.0);
    panel.density(static_cast<Index>(bin)) += 1 / (width * static_cast<double>(z.size()));
  }
  return panel;
}

void check_names(const Names& names, Index outputs) {
  check::require(static_cast<Index>(names.size()) == outputs, "names",
                 fmt::format("has {} entries, expected one for each of {} outputs", names.size(), outputs));
}

void check_probability(const MatrixView& probability) {
  check::finite("probability", probability);
  check::require(probability.cols() > 0, "probability", "has no samples");
  check::require(probability.minCoeff() >= 0 && probability.maxCoeff() <= 1, "probability",
                 "expected values between 0 and 1");
}

}  // namespace

Section calibration_section(const Names& names, const CalibrationCurve& curve, Index samples) {
  const Index p = curve.marginal.rows();
  check_names(names, p);
  check::shape("marginal", curve.marginal, p, curve.level.size());
  check::size("joint", curve.joint, curve.level.size());
  Section section;
  section.heading = "Calibration";
  section.text =
      "An interval that claims to hold 90 % of the observations should hold 90 % of them. Below the diagonal "
      "the model "
      "is overconfident, above it too careful.";
  Calibration calibration;
  calibration.samples = samples;
  calibration.levels = curve.level;
  const Vector errors = curve.marginal_error();
  for (Index j = 0; j < p; ++j)
    calibration.curves.push_back(
        {names[static_cast<std::size_t>(j)], curve.marginal.row(j).transpose(), errors(j)});
  if (p > 1) calibration.curves.push_back({"all outputs jointly", curve.joint, curve.joint_error()});
  section.figures.push_back(
      {"Coverage of central intervals",
       "The grey band is what chance alone would leave in 95 of 100 cases for a perfectly "
       "calibrated model, level by level. ECE is the mean distance from the diagonal.",
       std::move(calibration)});
  return section;
}

Section residual_section(const Names& names, const MatrixView& probability) {
  check_names(names, probability.rows());
  check_probability(probability);
  static constexpr double smallest = 1e-15;  // |z| < 8
  const boost::math::normal normal;
  Section section;
  section.heading = "Standardised residuals";
  section.text =
      "How far the observations lie from the predicted mean, in units of the predicted standard deviation. "
      "With the "
      "right uncertainty the bars follow the curve; wider bars mean overconfidence, a shift means bias.";
  Histogram histogram;
  histogram.x = {"standardised residual", Scale::linear};
  for (Index j = 0; j < probability.rows(); ++j) {
    Vector z(probability.cols());
    for (Index i = 0; i < z.size(); ++i)
      z(i) = boost::math::quantile(normal, std::clamp(probability(j, i), smallest, 1 - smallest));
    histogram.panels.push_back(residual_histogram(names[static_cast<std::size_t>(j)], z));
  }
  section.figures.push_back(
      {"Histogram of standardised residuals",
       "The line is the standard normal density. Residuals beyond ±4 are counted in the "
       "outermost bars.",
       std::move(histogram)});
  return section;
}

Section convergence_section(const std::vector<Trace>& traces, const std::string& ending) {
  Section section;
  section.heading = "Convergence of EM";
  section.text =
      "EM raises the evidence, the probability of the data under the model, at every step until nothing "
      "changes any "
      "more.";
  if (!ending.empty()) section.text += " " + ending;
  for (const Trace& trace : traces) {
    Lines lines;
    lines.x = {"step", Scale::linear};
    lines.y = {trace.name, trace.logarithmic ? Scale::logarithmic : Scale::linear};
    const Index steps = trace.values.size();
    lines.curves.push_back({trace.name, Vector::LinSpaced(steps, 1, static_cast<double>(steps)), trace.values,
                            CurveStyle::line});
    section.figures.push_back({trace.name, "", std::move(lines)});
  }
  return section;
}

Section correlation_section(const Names& names, const MatrixView& covariance) {
  const Index p = covariance.rows();
  check_names(names, p);
  check::shape("covariance", covariance, p, p);
  const Vector sd = covariance.diagonal().cwiseSqrt();
  check::positive("covariance", sd);
  Section section;
  section.heading = "Noise between outputs";
  section.text =
      "Outputs whose noise is correlated tend to miss in the same direction (blue) or in opposite ones "
      "(orange) at the "
      "same time.";
  Matrix correlation = sd.cwiseInverse().asDiagonal() * covariance * sd.cwiseInverse().asDiagonal();
  section.figures.push_back({"Correlation of the noise",
                             "Correlation coefficients of the noise covariance V.",
                             Heatmap{names, names, std::move(correlation), -1, 1}});
  Table table{"Scale of the noise", "", {"output", "standard deviation"}, {}};
  for (Index j = 0; j < p; ++j) table.rows.push_back({names[static_cast<std::size_t>(j)], sd(j)});
  section.tables.push_back(std::move(table));
  return section;
}

Section lines_section(const std::string& heading, const std::string& text, Lines lines) {
  Section section;
  section.heading = heading;
  section.text = text;
  section.figures.push_back({heading, "", std::move(lines)});
  return section;
}

Section table_section(const std::string& heading, const std::string& text, Table table) {
  Section section;
  section.heading = heading;
  section.text = text;
  section.tables.push_back(std::move(table));
  return section;
}

std::vector<Section> evaluation_sections(const Names& names, const SampleAxis& axis,
                                         const Predictive& predictive, const MatrixView& observed,
                                         const Overlay& overlay) {
  const Prediction prediction(predictive);
  std::vector<Section> sections;
  sections.push_back(prediction_section(names, axis, prediction, observed, overlay));
  if (observed.size() > 0) {
    sections.push_back(observed_predicted_section(names, prediction, observed));
    const CalibrationCurve curve = calibration_curve(predictive, observed, central_levels());
    sections.push_back(calibration_section(names, curve, observed.cols()));
    sections.push_back(residual_section(names, pit(predictive, observed)));
  }
  sections.push_back(outlier_section(names, axis, prediction, observed));
  return sections;
}

}  // namespace mbll::report
