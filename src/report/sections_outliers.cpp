#include <fmt/format.h>

#include <algorithm>

#include "mbll/report/sections.hpp"
#include "mbll/report/thinning.hpp"
#include "report/samples.hpp"

namespace mbll::report {
namespace {

bool has_x(const SampleAxis& axis) { return axis.kind == AxisKind::value || axis.kind == AxisKind::time; }

Table outlier_table(const Names& names, const SampleAxis& axis, const Prediction& prediction,
                    const MatrixView& observed, const std::vector<Index>& samples, const VectorView& ratio) {
  Table table;
  table.title = "Samples to look at";
  table.columns = {"sample", "times the median"};
  if (has_x(axis)) table.columns.insert(table.columns.begin() + 1, shown_axis(axis).label);
  for (const std::string& name : names) {
    table.columns.push_back(name + ": mean");
    table.columns.push_back("epistemic sd");
    if (observed.size() > 0) table.columns.push_back("observed");
  }
  for (const Index i : samples) {
    std::vector<Cell> row{static_cast<double>(i + 1)};
    if (axis.kind == AxisKind::value) row.emplace_back(axis.x(i));
    if (axis.kind == AxisKind::time) row.emplace_back(utc_text(axis.x(i)));
    row.emplace_back(ratio(i));
    for (Index j = 0; j < prediction.mean.rows(); ++j) {
      row.emplace_back(prediction.mean(j, i));
      row.emplace_back(prediction.epistemic(j, i));
      if (observed.size() > 0) row.emplace_back(observed(j, i));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Section outlier_section(const Names& names, const SampleAxis& axis, const Prediction& prediction,
                        const MatrixView& observed, Index table_rows) {
  check_samples(names, axis, prediction, observed);
  const Index points = prediction.mean.cols();
  const Vector ratio = relative_epistemic(prediction.epistemic);
  const std::vector<Index> unusual = unusual_samples(prediction.epistemic);
  std::vector<char> is_unusual(static_cast<std::size_t>(points), 0);
  for (const Index i : unusual) is_unusual[static_cast<std::size_t>(i)] = 1;

  Section section;
  section.heading = "Unusual samples";
  section.text = unusual.empty() ? "No sample has an unusually large epistemic uncertainty: the model has "
                                   "seen data like all of these."
                                 : fmt::format(
                                       "{} of {} samples have an unusually large epistemic uncertainty: the "
                                       "model has seen little data "
                                       "like them. Check them for errors, or collect more of their kind.",
                                       grouped(static_cast<Index>(unusual.size())), grouped(points));
  const Thinning thinning = thin(points, sample_limit(1), unusual);
  section.note = thinning.note;
  std::vector<double> x[2];
  std::vector<double> y[2];
  for (const Index i : thinning.kept) {
    const int group = is_unusual[static_cast<std::size_t>(i)] != 0 ? 1 : 0;
    x[group].push_back(has_x(axis) ? axis.x(i) : static_cast<double>(i + 1));
    y[group].push_back(ratio(i));
  }
  const auto vector = [](const std::vector<double>& values) {
    return Vector(Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())));
  };
  Lines lines;
  lines.x = has_x(axis) ? shown_axis(axis) : Axis{"sample", Scale::linear};
  lines.y = {"epistemic sd / its median", Scale::logarithmic};
  lines.curves.push_back({"usual", vector(x[0]), vector(y[0]), CurveStyle::points});
  lines.curves.push_back({"unusual", vector(x[1]), vector(y[1]), CurveStyle::points});
  section.figures.push_back({"Epistemic uncertainty by sample",
                             "Relative to the median sample; with several outputs the largest ratio counts.",
                             std::move(lines)});
  if (!unusual.empty()) {
    const auto shown =
        std::min<std::size_t>(unusual.size(), static_cast<std::size_t>(std::max<Index>(table_rows, 0)));
    Table table =
        outlier_table(names, axis, prediction, observed,
                      {unusual.begin(), unusual.begin() + static_cast<std::ptrdiff_t>(shown)}, ratio);
    if (shown < unusual.size())
      table.caption = fmt::format("The first {} of {}.", shown, grouped(static_cast<Index>(unusual.size())));
    section.tables.push_back(std::move(table));
  }
  return section;
}

}  // namespace mbll::report
