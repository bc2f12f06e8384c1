#include "experiments/common.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mbll/error.hpp"
#include "mbll/model/fit.hpp"

namespace mbll::experiments {
namespace {

/// Columns on a terminal: characters, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > width_of(text) ? width - width_of(text) : 0, ' ');
}

Vector field(const std::vector<EmStep>& trace, double EmStep::*member) {
  Vector values(static_cast<Index>(trace.size()));
  for (std::size_t i = 0; i < trace.size(); ++i) values(static_cast<Index>(i)) = trace[i].*member;
  return values;
}

}  // namespace

void tell(const ExperimentOptions& options, double fraction, const std::string& stage) {
  if (options.progress && !options.progress(fraction, stage)) throw Cancelled();
}

std::string comparison_text(const std::string& title, const std::vector<Comparison>& rows) {
  std::size_t quantity = 0;
  std::size_t paper = 5;
  for (const Comparison& row : rows) {
    quantity = std::max(quantity, width_of(row.quantity));
    paper = std::max(paper, width_of(row.paper));
  }
  std::string text = title + "\n" + padded("", quantity) + "  " + padded("paper", paper) + "  here\n";
  for (const Comparison& row : rows)
    text += padded(row.quantity, quantity) + "  " + padded(row.paper.empty() ? "–" : row.paper, paper) +
            "  " + row.ours + "\n";
  return text;
}

report::Section comparison_section(const std::vector<Comparison>& rows) {
  report::Table table;
  table.title = "The paper's numbers beside these";
  table.caption = "A dash: the paper states no number.";
  table.columns = {"", "paper", "here"};
  for (const Comparison& row : rows)
    table.rows.push_back({row.quantity, row.paper.empty() ? std::string("–") : row.paper, row.ours});
  return report::table_section("Result", "What the paper reports and what this run came to.",
                               std::move(table));
}

Json trace_json(const std::vector<EmStep>& trace) {
  return {{"log_evidence", vector_json(field(trace, &EmStep::log_evidence))},
          {"column_trace", vector_json(field(trace, &EmStep::column_trace))},
          {"noise_scale", vector_json(field(trace, &EmStep::noise_scale))},
          {"parameter_change", vector_json(field(trace, &EmStep::parameter_change))}};
}

report::Section trace_section(const std::vector<EmStep>& trace, const std::string& ending) {
  return report::convergence_section(
      {{"log-evidence", field(trace, &EmStep::log_evidence), false},
       {"tr K", field(trace, &EmStep::column_trace), true},
       {"largest relative change", field(trace, &EmStep::parameter_change), true}},
      ending);
}

Json vector_json(const VectorView& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

Vector evenly_spaced(double first, double last, Index count) { return Vector::LinSpaced(count, first, last); }

double median(Vector values) {
  check::require(values.size() > 0, "values", "are none, expected at least one");
  std::sort(values.begin(), values.end());
  const Index half = values.size() / 2;
  return values.size() % 2 == 1 ? values(half) : 0.5 * (values(half - 1) + values(half));
}

}  // namespace mbll::experiments
