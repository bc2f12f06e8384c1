/// Writes the reports that the browser tests open, from synthetic data:
///   sample_report FOLDER    curve.html (one input), series.html (hourly, two outputs), large.html (10⁵
///   samples)
#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "mbll/report/sections.hpp"
#include "mbll/report/writer.hpp"

namespace {

using namespace mbll;
using namespace mbll::report;

Matrix noise(Rng& rng, Index rows, Index columns) {
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(rng); });
}

Section convergence() {
  const Index steps = 24;
  const Vector step = Vector::LinSpaced(steps, 1, static_cast<double>(steps));
  const Vector decay = (-step.array() / 3).exp();
  return convergence_section({{"log-evidence", -312.0 - 900 * decay.array(), false},
                              {"tr K", 4.2 - 3 * decay.array(), false},
                              {"relative change", decay, true}},
                             "It converged after 24 steps.");
}

Section evidence_over_k() {
  const Vector k = Vector::LinSpaced(60, -4, 4).unaryExpr([](double e) { return std::pow(10.0, e); });
  Lines lines;
  lines.x = {"k", Scale::logarithmic};
  lines.y = {"contribution to the log-evidence", Scale::linear};
  const Vector complexity = -20 * (1 + k.array()).log();
  const Vector fit = -400 / (1 + 4 * k.array());
  lines.curves = {{"complexity", k, complexity, CurveStyle::line},
                  {"fit", k, fit, CurveStyle::line},
                  {"log-evidence", k, complexity + fit, CurveStyle::dashed}};
  Index best = 0;
  (complexity + fit).maxCoeff(&best);
  lines.marks = {{k(best), "chosen by EM"}};
  return lines_section("Evidence over k",
                       "A larger prior variance k fits better and costs more; the evidence weighs the two.",
                       lines);
}

/// One input, noise that depends on it, data on four intervals.
Report curve_report() {
  static constexpr std::array centres = {-3.5, -1.5, 1.5, 3.5};
  Rng rng = make_rng(7);
  const auto truth = [](double x) { return std::sin(2 * x) + 0.5 * std::cos(5 * x) + 0.2 * x; };
  const auto sigma = [](double x) { return 0.08 + 0.3 * std::pow(std::cos(x), 2); };
  const auto model_sd = [](double x) {
    double nearest = INFINITY;
    for (const double centre : centres)
      nearest = std::min(nearest, std::max(0.0, std::abs(x - centre) - 0.5));
    return 0.05 + 1.1 * (1 - std::exp(-0.7 * nearest * nearest));
  };
  const Index samples = 500;
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Overlay overlay;
  overlay.observation_x.resize(samples);
  for (Index i = 0; i < samples; ++i)
    overlay.observation_x(i) = centres[static_cast<std::size_t>(i) % centres.size()] + uniform(rng);
  const Matrix sigma_at_data = overlay.observation_x.unaryExpr(sigma).transpose();
  overlay.observations =
      overlay.observation_x.unaryExpr(truth).transpose() + noise(rng, 1, samples).cwiseProduct(sigma_at_data);
  const Vector grid = Vector::LinSpaced(600, -5.5, 5.5);
  overlay.curves = {{"truth", grid.unaryExpr(truth).transpose()}};
  const auto predict = [&](const Vector& x) {
    const auto mean = [&](double at) { return truth(at) - 0.5 * (model_sd(at) - 0.05) * std::sin(at); };
    return SharedPredictive(x.unaryExpr(mean).transpose(), x.unaryExpr(sigma).cwiseAbs2(),
                            x.unaryExpr(model_sd).cwiseAbs2(), Matrix::Ones(1, 1),
                            std::numeric_limits<double>::infinity());
  };
  const SharedPredictive at_data = predict(overlay.observation_x);
  const Names names = {"y"};
  Report report;
  report.title = "Interpolation with a heteroscedastic network";
  report.subtitle = "500 samples on four intervals, 4×64 Softplus network, isotropic K";
  report.summary = {{"samples", 500.0},
                    {"log-evidence", -312.4},
                    {"RMSE", 0.2317},
                    {"NLL", -0.0412},
                    {"EM", std::string("converged after 24 steps")}};
  report.sections = {
      prediction_section(names, {AxisKind::value, "x", grid}, predict(grid), Matrix(), overlay),
      observed_predicted_section(names, at_data, overlay.observations),
      calibration_section(names, calibration_curve(at_data, overlay.observations, central_levels()), samples),
      residual_section(names, pit(at_data, overlay.observations)),
      convergence(),
      evidence_over_k(),
      outlier_section(names, {AxisKind::value, "x", grid}, predict(grid))};
  return report;
}

/// Two outputs with correlated noise over time; a stretch that the model has not seen before.
Report series_report(Index samples, const std::string& title) {
  Rng rng = make_rng(11);
  const Names names = {"PM2.5 in µg/m³", "O₃ in µg/m³ </script><b>\"quoted\"</b>"};
  Vector time(samples);
  Matrix mean(2, samples);
  Vector aleatoric(samples);
  Vector epistemic(samples);
  Matrix observed(2, samples);
  Matrix V(2, 2);
  V << 100, -42, -42, 49;
  const Matrix root = V.llt().matrixL();
  const Matrix white = noise(rng, 2, samples);
  for (Index i = 0; i < samples; ++i) {
    const auto hour = static_cast<double>(i);
    time(i) = 1482710400.0 + 3600 * hour;  // from 26 December 2016
    const double day = std::sin(2 * M_PI * hour / 24);
    const double slow = std::sin(2 * M_PI * hour / 173);
    mean.col(i) << 80 + 15 * day + 45 * slow, 60 - 25 * day - 10 * slow;
    const double distance = hour / static_cast<double>(samples) - 0.55;
    aleatoric(i) = std::pow(0.9 + 0.3 * slow, 2);
    epistemic(i) = std::pow(0.2 + 1.4 * std::exp(-std::pow(distance / 0.04, 2)), 2);
    observed.col(i) = mean.col(i) + std::sqrt(aleatoric(i) + epistemic(i)) * (root * white.col(i));
  }
  const SharedPredictive predictive(mean, aleatoric, epistemic, V, std::numeric_limits<double>::infinity());
  const SampleAxis axis{AxisKind::time, "", time};
  Report report;
  report.title = title;
  report.subtitle = "Synthetic hourly series, two outputs, unknown noise covariance";
  report.summary = {{"samples", static_cast<double>(samples)},
                    {"outputs", 2.0},
                    {"RMSE", 11.92},
                    {"NLL", 7.31},
                    {"CRPS", 5.87}};
  report.sections = evaluation_sections(names, axis, predictive, observed);
  report.sections.insert(report.sections.end() - 1,
                         {convergence(), correlation_section(names, V), evidence_over_k()});
  return report;
}

/// Data that is valid and hard to draw: one sample, constants, gaps, nothing at all, huge and tiny numbers.
Report edge_report() {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto constant = [](double mean, double sd, Index samples) {
    return Prediction(Matrix::Constant(1, samples, mean), Matrix::Constant(1, samples, sd),
                      Matrix::Constant(1, samples, sd));
  };
  const Vector three = Vector::LinSpaced(3, -1, 1);
  const auto lines = [](const std::string& name, const Vector& x, const Vector& y, Scale scale) {
    return lines_section(name, "", {{"x", scale}, {"y", scale}, {{name, x, y}}, {}});
  };
  Report report;
  report.title = "Odd data";
  report.summary = {{"nothing", nan}, {"", std::string()}};
  report.sections = {
      prediction_section({"one sample"}, {AxisKind::value, "x", Vector::Ones(1)}, constant(3, 1, 1),
                         Matrix::Ones(1, 1)),
      prediction_section({"one moment"}, {AxisKind::time, "", Vector::Ones(4)}, constant(3, 0, 4)),
      prediction_section({"no sample"}, {}, constant(0, 1, 0)),
      prediction_section({"huge"}, {}, constant(1e300, 1e299, 5), Matrix::Constant(1, 5, -1e300)),
      prediction_section({"nothing finite"}, {}, constant(nan, nan, 5)),
      observed_predicted_section({"constant"}, constant(2, 0, 3), Matrix::Constant(1, 3, 2)),
      residual_section({"one sample"}, Matrix::Constant(1, 1, 0.5)),
      correlation_section({"alone"}, Matrix::Constant(1, 1, 2)),
      convergence_section({{"one step", Vector::Ones(1), true}}),
      lines("no curve", Vector(), Vector(), Scale::linear),
      lines("nothing positive", three, -three.cwiseAbs(), Scale::logarithmic),
      lines("tiny", three * 1e-300, three * 1e-300, Scale::linear),
      lines("gap", three, Vector::Constant(3, nan), Scale::time),
      outlier_section({"constant"}, {}, constant(1, 1, 4)),
      Section{}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: sample_report FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  write_report(folder + "/curve.html", curve_report());
  write_report(folder + "/series.html", series_report(264, "Air quality, 26 December to 5 January"));
  write_report(folder + "/large.html", series_report(100000, "A hundred thousand samples"));
  write_report(folder + "/edge.html", edge_report());
  return 0;
}
