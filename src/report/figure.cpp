#include "mbll/report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mbll/error.hpp"

namespace mbll::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int figure_digits = 6;
constexpr int largest_digits = 15;

/// Decimal digits that resolve about 10⁻⁶ of the range of the values, also when they sit far from zero
/// (times, years).
int significant_digits(const VectorView& values) {
  double low = INFINITY;
  double high = -INFINITY;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const double magnitude = std::max(std::abs(low), std::abs(high));
  if (!(high > low) || !std::isfinite(high - low)) return largest_digits;
  const double offset = std::log10(magnitude / (high - low));
  return std::clamp(figure_digits + static_cast<int>(std::lround(offset)), figure_digits, largest_digits);
}

/// The number nearest to `value` with that many digits: the serialiser then prints no more than those.
Json rounded(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  const std::string text = fmt::format("{:.{}g}", value, digits);
  double result = value;
  std::from_chars(text.data(), text.data() + text.size(), result);
  if (result == std::trunc(result) && std::abs(result) < 1e15) return static_cast<std::int64_t>(result);
  return result;
}

Json numbers(const VectorView& values) {
  const int digits = significant_digits(values);
  Json array = Json::array();
  for (const double value : values) array.push_back(rounded(value, digits));
  return array;
}

Json number(double value) { return rounded(value, largest_digits); }

Json cell(const Cell& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return number(std::get<double>(value));
}

const char* name_of(Scale scale) {
  switch (scale) {
    case Scale::linear:
      return "linear";
    case Scale::logarithmic:
      return "log";
    case Scale::time:
      return "time";
  }
  return "";
}

const char* name_of(CurveStyle style) {
  switch (style) {
    case CurveStyle::line:
      return "line";
    case CurveStyle::dashed:
      return "dashed";
    case CurveStyle::points:
      return "points";
  }
  return "";
}

Json axis(const Axis& value) { return {{"label", value.label}, {"scale", name_of(value.scale)}}; }

Json curve(const Curve& value) {
  check::size("y", value.y, value.x.size());
  return {{"name", value.name},
          {"x", numbers(value.x)},
          {"y", numbers(value.y)},
          {"style", name_of(value.style)}};
}

Json curves(const std::vector<Curve>& values) {
  Json array = Json::array();
  for (const Curve& value : values) array.push_back(curve(value));
  return array;
}

Json drawing(const Bands& bands) {
  Json panels = Json::array();
  for (const BandPanel& panel : bands.panels) {
    check::size("mean", panel.mean, panel.x.size());
    check::size("aleatoric", panel.aleatoric, panel.x.size());
    check::size("epistemic", panel.epistemic, panel.x.size());
    check::size("observed", panel.observed, panel.observed_x.size());
    panels.push_back({{"name", panel.name},
                      {"x", numbers(panel.x)},
                      {"mean", numbers(panel.mean)},
                      {"aleatoric", numbers(panel.aleatoric)},
                      {"epistemic", numbers(panel.epistemic)},
                      {"observed_x", numbers(panel.observed_x)},
                      {"observed", numbers(panel.observed)},
                      {"curves", curves(panel.curves)}});
  }
  return {{"kind", "bands"}, {"x", axis(bands.x)}, {"panels", panels}};
}

Json drawing(const Scatter& scatter) {
  Json panels = Json::array();
  for (const ScatterPanel& panel : scatter.panels) {
    check::size("mean", panel.mean, panel.observed.size());
    check::size("aleatoric", panel.aleatoric, panel.observed.size());
    check::size("epistemic", panel.epistemic, panel.observed.size());
    panels.push_back({{"name", panel.name},
                      {"observed", numbers(panel.observed)},
                      {"mean", numbers(panel.mean)},
                      {"aleatoric", numbers(panel.aleatoric)},
                      {"epistemic", numbers(panel.epistemic)}});
  }
  return {{"kind", "scatter"}, {"panels", panels}};
}

Json drawing(const Calibration& calibration) {
  Json entries = Json::array();
  for (const CoverageCurve& entry : calibration.curves) {
    check::size("coverage", entry.coverage, calibration.levels.size());
    entries.push_back(
        {{"name", entry.name}, {"coverage", numbers(entry.coverage)}, {"ece", number(entry.ece)}});
  }
  return {{"kind", "calibration"},
          {"levels", numbers(calibration.levels)},
          {"samples", calibration.samples},
          {"curves", entries}};
}

Json drawing(const Histogram& histogram) {
  Json panels = Json::array();
  for (const HistogramPanel& panel : histogram.panels) {
    check::size("edges", panel.edges, panel.density.size() + 1);
    panels.push_back({{"name", panel.name},
                      {"edges", numbers(panel.edges)},
                      {"density", numbers(panel.density)},
                      {"mean", number(panel.mean)},
                      {"sd", number(panel.sd)}});
  }
  return {{"kind", "histogram"},
          {"x", axis(histogram.x)},
          {"normal_curve", histogram.normal_curve},
          {"panels", panels}};
}

Json drawing(const Lines& lines) {
  Json marks = Json::array();
  for (const Mark& mark : lines.marks) marks.push_back({{"x", number(mark.x)}, {"label", mark.label}});
  return {{"kind", "lines"},
          {"x", axis(lines.x)},
          {"y", axis(lines.y)},
          {"curves", curves(lines.curves)},
          {"marks", marks}};
}

Json drawing(const Heatmap& heatmap) {
  check::shape("values", heatmap.values, static_cast<Index>(heatmap.rows.size()),
               static_cast<Index>(heatmap.columns.size()));
  Json values = Json::array();
  for (Index i = 0; i < heatmap.values.rows(); ++i)
    values.push_back(numbers(heatmap.values.row(i).transpose()));
  return {{"kind", "heatmap"}, {"rows", heatmap.rows},       {"columns", heatmap.columns},
          {"values", values},  {"low", number(heatmap.low)}, {"high", number(heatmap.high)}};
}

Json figure(const Figure& value) {
  Json result = {{"title", value.title}, {"caption", value.caption}};
  result.update(std::visit([](const auto& content) { return drawing(content); }, value.drawing));
  return result;
}

Json table(const Table& value) {
  Json rows = Json::array();
  for (const std::vector<Cell>& entries : value.rows) {
    check::require(entries.size() == value.columns.size(), "rows",
                   fmt::format("a row of table '{}' has {} cells, expected {}", value.title, entries.size(),
                               value.columns.size()));
    Json row = Json::array();
    for (const Cell& entry : entries) row.push_back(cell(entry));
    rows.push_back(row);
  }
  return {{"title", value.title}, {"caption", value.caption}, {"columns", value.columns}, {"rows", rows}};
}

Json section(const Section& value) {
  Json figures = Json::array();
  for (const Figure& entry : value.figures) figures.push_back(figure(entry));
  Json tables = Json::array();
  for (const Table& entry : value.tables) tables.push_back(table(entry));
  return {{"heading", value.heading},
          {"text", value.text},
          {"note", value.note},
          {"figures", figures},
          {"tables", tables}};
}

}  // namespace

std::string to_json(const Report& report) {
  Json summary = Json::array();
  for (const auto& [key, value] : report.summary) summary.push_back({{"key", key}, {"value", cell(value)}});
  Json sections = Json::array();
  for (const Section& entry : report.sections) sections.push_back(section(entry));
  const Json result = {{"format", 1},           {"version", version()},
                       {"title", report.title}, {"subtitle", report.subtitle},
                       {"summary", summary},    {"sections", sections}};
  // Names come from data files: what is not UTF-8 there is shown as the replacement character.
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mbll::report
