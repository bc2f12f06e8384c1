#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mbll/error.hpp"
#include "mbll/report/sections.hpp"
#include "mbll/report/thinning.hpp"
#include "report/samples.hpp"

namespace mbll::report {
namespace {

/// The samples in the order in which the axis shows them.
std::vector<Index> axis_order(const SampleAxis& axis, const VectorView& mean /* L */) {
  std::vector<Index> order(static_cast<std::size_t>(mean.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto sort_by = [&](const VectorView& key) {
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  };
  if (axis.kind == AxisKind::ordered) sort_by(mean);
  if (axis.kind == AxisKind::value || axis.kind == AxisKind::time) sort_by(axis.x);
  return order;
}

/// Flagged samples as positions in `order`.
std::vector<Index> positions_of(const std::vector<Index>& samples, const std::vector<Index>& order) {
  std::vector<Index> position(order.size());
  for (std::size_t at = 0; at < order.size(); ++at)
    position[static_cast<std::size_t>(order[at])] = static_cast<Index>(at);
  std::vector<Index> result;
  result.reserve(samples.size());
  for (const Index sample : samples) result.push_back(position[static_cast<std::size_t>(sample)]);
  return result;
}

Vector pick(const MatrixView& values, Index output, const std::vector<Index>& samples) {
  Vector result(static_cast<Index>(samples.size()));
  for (std::size_t i = 0; i < samples.size(); ++i) result(static_cast<Index>(i)) = values(output, samples[i]);
  return result;
}

void add_observations(BandPanel& panel, const VectorView& x, const VectorView& y) {
  std::vector<double> kept_x;
  std::vector<double> kept_y;
  for (Index i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y(i))) continue;
    kept_x.push_back(x(i));
    kept_y.push_back(y(i));
  }
  panel.observed_x = Eigen::Map<Vector>(kept_x.data(), static_cast<Index>(kept_x.size()));
  panel.observed = Eigen::Map<Vector>(kept_y.data(), static_cast<Index>(kept_y.size()));
}

}  // namespace

Section prediction_section(const Names& names, const SampleAxis& axis, const Prediction& prediction,
                           const MatrixView& observed, const Overlay& overlay) {
  check_samples(names, axis, prediction, observed);
  const Index p = prediction.mean.rows();
  const Index points = prediction.mean.cols();
  if (overlay.observations.size() > 0)
    check::shape("observations", overlay.observations, p, overlay.observation_x.size());

  Section section;
  section.heading = "Predictions and their uncertainty";
  section.text =
      "The line is the predicted mean. Noise (aleatoric) stays however much data is collected; model "
      "uncertainty "
      "(epistemic) is large where there was little data to learn from, and shrinks when more is added there.";
  Bands bands;
  bands.x = shown_axis(axis);
  const std::vector<Index> flagged = flagged_samples(prediction, observed);
  for (Index j = 0; j < p; ++j) {
    const std::vector<Index> order = axis_order(axis, prediction.mean.row(j).transpose());
    const Thinning thinning = thin(points, sample_limit(p), positions_of(flagged, order));
    std::vector<Index> samples;
    BandPanel panel;
    panel.x.resize(static_cast<Index>(thinning.kept.size()));
    for (const Index position : thinning.kept) {
      const Index sample = order[static_cast<std::size_t>(position)];
      const bool has_x = axis.kind == AxisKind::value || axis.kind == AxisKind::time;
      panel.x(static_cast<Index>(samples.size())) =
          has_x ? axis.x(sample) : static_cast<double>(position + 1);
      samples.push_back(sample);
    }
    panel.name = names[static_cast<std::size_t>(j)];
    panel.mean = pick(prediction.mean, j, samples);
    panel.aleatoric = pick(prediction.aleatoric, j, samples);
    panel.epistemic = pick(prediction.epistemic, j, samples);
    if (observed.size() > 0) add_observations(panel, panel.x, pick(observed, j, samples));
    section.note = thinning.note;
    if (overlay.observations.size() > 0) {
      const Thinning shown = thin(overlay.observations.cols(), sample_limit(p), {});
      Vector x(static_cast<Index>(shown.kept.size()));
      for (std::size_t i = 0; i < shown.kept.size(); ++i)
        x(static_cast<Index>(i)) = overlay.observation_x(shown.kept[i]);
      add_observations(panel, x, pick(overlay.observations, j, shown.kept));
      if (!shown.note.empty())
        section.note += (section.note.empty() ? "Observations: " : " Observations: ") + shown.note;
    }
    for (const auto& [name, values] : overlay.curves) {
      check::shape("curves", values, p, points);
      panel.curves.push_back({name, panel.x, pick(values, j, samples), CurveStyle::dashed});
    }
    bands.panels.push_back(std::move(panel));
  }
  section.figures.push_back({"Prediction bands",
                             "Bands reach the chosen number of standard deviations to either side of the "
                             "mean. In the split view the inner "
                             "band is noise alone and the outer one adds model uncertainty.",
                             std::move(bands)});
  return section;
}

Section observed_predicted_section(const Names& names, const Prediction& prediction,
                                   const MatrixView& observed) {
  check_samples(names, {}, prediction, observed);
  check::shape("observed", observed, prediction.mean.rows(), prediction.mean.cols());
  Section section;
  section.heading = "Observed against predicted";
  section.text =
      "A right prediction lies on the diagonal. Points far from it should have long error bars: a short bar "
      "far from "
      "the diagonal is a confident mistake.";
  const Thinning thinning = thin(prediction.mean.cols(), sample_limit(prediction.mean.rows()),
                                 flagged_samples(prediction, observed));
  section.note = thinning.note;
  Scatter scatter;
  for (Index j = 0; j < prediction.mean.rows(); ++j)
    scatter.panels.push_back({names[static_cast<std::size_t>(j)], pick(observed, j, thinning.kept),
                              pick(prediction.mean, j, thinning.kept),
                              pick(prediction.aleatoric, j, thinning.kept),
                              pick(prediction.epistemic, j, thinning.kept)});
  section.figures.push_back(
      {"Predictions over observations",
       "Error bars of two standard deviations; the dashed line is a perfect prediction.",
       std::move(scatter)});
  return section;
}

}  // namespace mbll::report
