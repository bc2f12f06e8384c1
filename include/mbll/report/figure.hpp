#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mbll/core.hpp"

/// What the report page shows, as plain values. docs/report.md describes each figure and the JSON it becomes.
/// Names and labels carry their units ("PM2.5 in µg/m³"); they may hold any text, the page never interprets
/// them.
namespace mbll::report {

enum class Scale {
  linear,
  logarithmic,  ///< positive values only; the others are left out
  time,         ///< seconds since 1970-01-01 00:00 UTC
};

struct Axis {
  std::string label;
  Scale scale = Scale::linear;
};

enum class CurveStyle { line, dashed, points };

/// y over x, n entries each. A value that is not finite is a gap.
struct Curve {
  std::string name;
  Vector x;
  Vector y;
  CurveStyle style = CurveStyle::line;
};

/// One output of a `Bands` figure: mean and standard deviations along a curve, observations as points.
struct BandPanel {
  std::string name;
  Vector x;                   ///< n, increasing
  Vector mean;                ///< n
  Vector aleatoric;           ///< n, standard deviation of the noise
  Vector epistemic;           ///< n, standard deviation that more data would remove
  Vector observed_x;          ///< m, may be empty
  Vector observed;            ///< m
  std::vector<Curve> curves;  ///< beside the mean: truth, another fit
};

/// Predictions with bands of 1, 2 and 3 standard deviations, split into their parts; one panel at a time.
struct Bands {
  Axis x;
  std::vector<BandPanel> panels;
};

struct ScatterPanel {
  std::string name;
  Vector observed;   ///< n
  Vector mean;       ///< n
  Vector aleatoric;  ///< n
  Vector epistemic;  ///< n
};

/// Predicted over observed with error bars and the identity line.
struct Scatter {
  std::vector<ScatterPanel> panels;
};

struct CoverageCurve {
  std::string name;
  Vector coverage;  ///< per level, the fraction of observations inside the central interval
  double ece = 0;   ///< mean |coverage − level|
};

struct Calibration {
  Vector levels;
  std::vector<CoverageCurve> curves;
  Index samples = 0;  ///< how many observations: sets the width of the band that chance explains
};

struct HistogramPanel {
  std::string name;
  Vector edges;    ///< n + 1
  Vector density;  ///< n, area 1
  double mean = 0;
  double sd = 0;
};

struct Histogram {
  Axis x;
  std::vector<HistogramPanel> panels;
  bool normal_curve = true;  ///< draws N(0, 1) over the bars
};

/// A vertical line with a label.
struct Mark {
  double x = 0;
  std::string label;
};

struct Lines {
  Axis x;
  Axis y;
  std::vector<Curve> curves;
  std::vector<Mark> marks;
};

/// A matrix as coloured cells with their numbers.
struct Heatmap {
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  Matrix values;
  double low = -1;  ///< colour scale
  double high = 1;
};

struct Figure {
  std::string title;
  std::string caption;
  std::variant<Bands, Scatter, Calibration, Histogram, Lines, Heatmap> drawing;
};

using Cell = std::variant<std::string, double>;

struct Table {
  std::string title;
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as long as `columns`
};

struct Section {
  std::string heading;
  std::string text;  ///< one or two sentences for somebody who has to decide something with the model
  std::string note;  ///< what is not shown (thinning); may be empty
  std::vector<Figure> figures;
  std::vector<Table> tables;
};

struct Report {
  std::string title;
  std::string subtitle;
  std::vector<std::pair<std::string, Cell>> summary;  ///< shown first, as tiles
  std::vector<Section> sections;
};

/// The report as the JSON the page reads. Numbers are rounded to the digits a figure can show (at least 6 of
/// their range); what is not finite becomes null. Throws InvalidArgument if the sizes within a figure do not
/// fit.
[[nodiscard]] std::string to_json(const Report& report);

}  // namespace mbll::report
