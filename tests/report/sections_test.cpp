#include "mbll/report/sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "mbll/error.hpp"
#include "support/vector.hpp"

namespace mbll::report {
namespace {

using test::vector;

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Drawing>
const Drawing& drawing(const Section& section, std::size_t figure = 0) {
  return std::get<Drawing>(section.figures.at(figure).drawing);
}

/// p×L prediction whose values name their place.
Prediction counted(Index p, Index points) {
  const auto value = [](Index j, Index i) { return 100.0 * static_cast<double>(j) + static_cast<double>(i); };
  const Matrix mean = Matrix::NullaryExpr(p, points, value);
  return {mean, Matrix::Constant(p, points, 2), Matrix::Constant(p, points, 1)};
}

TEST(PredictionSection, SortsByTheInputAndKeepsSamplesTogether) {
  const Matrix observed =
      Matrix::NullaryExpr(2, 3, [](Index j, Index i) { return static_cast<double>(10 * j + i); });
  const Section section =
      prediction_section({"a", "b"}, {AxisKind::value, "x", vector({3, 1, 2})}, counted(2, 3), observed);
  const auto& panels = drawing<Bands>(section).panels;
  ASSERT_EQ(panels.size(), 2);
  EXPECT_EQ(panels[1].name, "b");
  EXPECT_THAT(panels[1].x, ElementsAre(1, 2, 3));
  EXPECT_THAT(panels[1].mean, ElementsAre(101, 102, 100));
  EXPECT_THAT(panels[1].observed, ElementsAre(11, 12, 10));
  EXPECT_THAT(panels[1].observed_x, ElementsAre(1, 2, 3));
  EXPECT_EQ(section.note, "");
}

TEST(PredictionSection, OrdersEachOutputByItsOwnMean) {
  Matrix mean(2, 3);
  mean << 3, 1, 2, 5, 6, 4;
  const Prediction prediction(mean, Matrix::Ones(2, 3), Matrix::Ones(2, 3));
  const auto panels =
      drawing<Bands>(prediction_section({"a", "b"}, {AxisKind::ordered, "", {}}, prediction)).panels;
  EXPECT_THAT(panels[0].mean, ElementsAre(1, 2, 3));
  EXPECT_THAT(panels[1].mean, ElementsAre(4, 5, 6));
  EXPECT_THAT(panels[1].x, ElementsAre(1, 2, 3));
}

TEST(PredictionSection, LeavesOutMissingObservations) {
  Matrix observed(1, 3);
  observed << 7, std::numeric_limits<double>::quiet_NaN(), 9;
  const auto panels = drawing<Bands>(prediction_section({"a"}, {}, counted(1, 3), observed)).panels;
  EXPECT_THAT(panels[0].observed_x, ElementsAre(1, 3));
  EXPECT_THAT(panels[0].observed, ElementsAre(7, 9));
}

TEST(PredictionSection, DrawsOverlays) {
  Overlay overlay;
  overlay.observation_x = vector({0.5, 1.5});
  overlay.observations = vector({8, 9}).transpose();
  overlay.curves = {{"truth", vector({4, 5, 6}).transpose()}};
  const auto panels = drawing<Bands>(prediction_section({"a"}, {AxisKind::value, "x", vector({2, 1, 0})},
                                                        counted(1, 3), Matrix(), overlay))
                          .panels;
  EXPECT_THAT(panels[0].observed_x, ElementsAre(0.5, 1.5));
  EXPECT_THAT(panels[0].observed, ElementsAre(8, 9));
  EXPECT_EQ(panels[0].curves[0].name, "truth");
  EXPECT_THAT(panels[0].curves[0].y, ElementsAre(6, 5, 4));
}

TEST(PredictionSection, ThinningKeepsFlaggedSamplesAndSaysSo) {
  const Index samples = 50000;
  Prediction prediction(Matrix::Zero(1, samples), Matrix::Ones(1, samples), Matrix::Ones(1, samples));
  Matrix observed = Matrix::Constant(1, samples, 0.1);
  observed(0, 777) = 50;             // far beyond three standard deviations
  observed(0, 4001) = -3;            // neither beyond (sd is √2) nor the smallest of what is shown
  observed(0, 4003) = -4;            // the smallest, not beyond
  prediction.epistemic(0, 31) = 20;  // unusual
  const Section section = prediction_section({"a"}, {}, prediction, observed);
  const BandPanel& panel = drawing<Bands>(section).panels[0];
  EXPECT_LE(panel.x.size(), 6000);
  EXPECT_TRUE(std::is_sorted(panel.x.begin(), panel.x.end()));
  for (const double kept : {778.0, 4004.0, 32.0, 1.0, 50000.0}) EXPECT_THAT(panel.x, Contains(kept));
  EXPECT_THAT(panel.x, testing::Not(Contains(4002.0)));
  EXPECT_THAT(section.note, HasSubstr("of 50\u202f000 samples: every 13th and all "));
}

TEST(PredictionSection, RefusesShapesThatDoNotFit) {
  EXPECT_THROW((void)prediction_section({"a"}, {}, counted(2, 3)), InvalidArgument);
  EXPECT_THROW((void)prediction_section({"a", "b"}, {AxisKind::time, "", vector({1, 2})}, counted(2, 3)),
               InvalidArgument);
  EXPECT_THROW((void)prediction_section({"a", "b"}, {}, counted(2, 3), Matrix::Zero(3, 2)), InvalidArgument);
  EXPECT_THROW((void)observed_predicted_section({"a", "b"}, counted(2, 3), Matrix()), InvalidArgument);
}

TEST(CalibrationSection, ShowsEachOutputAndTheJointRegion) {
  CalibrationCurve curve{vector({0.2, 0.5, 0.8}), vector({0.1, 0.4, 0.9}), Matrix(2, 3)};
  curve.marginal << 0.2, 0.5, 0.8, 0.5, 0.8, 0.8;
  const Section section = calibration_section({"a", "b"}, curve, 40);
  const auto& calibration = drawing<Calibration>(section);
  EXPECT_EQ(calibration.samples, 40);
  EXPECT_THAT(calibration.levels, ElementsAre(0.2, 0.5, 0.8));
  ASSERT_EQ(calibration.curves.size(), 3);
  EXPECT_EQ(calibration.curves[0].ece, 0);
  EXPECT_EQ(calibration.curves[1].name, "b");
  EXPECT_THAT(calibration.curves[1].coverage, ElementsAre(0.5, 0.8, 0.8));
  EXPECT_NEAR(calibration.curves[1].ece, 0.2, 1e-15);
  EXPECT_THAT(calibration.curves[2].coverage, ElementsAre(0.1, 0.4, 0.9));
  EXPECT_NEAR(calibration.curves[2].ece, 0.1, 1e-15);
  EXPECT_THROW((void)calibration_section({"a"}, curve, 40), InvalidArgument);
}

TEST(CalibrationSection, LeavesTheJointRegionOutForOneOutput) {
  const CalibrationCurve curve{vector({0.5}), vector({0.4}), Matrix::Constant(1, 1, 0.4)};
  const Section section = calibration_section({"a"}, curve, 9);
  EXPECT_EQ(drawing<Calibration>(section).curves.size(), 1);
}

TEST(ResidualSection, TurnsProbabilitiesIntoNormalScores) {
  const boost::math::normal normal;
  Matrix probability(1, 4);
  for (Index i = 0; i < 4; ++i)
    probability(0, i) = cdf(normal, std::array{-0.6, 0.1, 1.3, 2.2}[static_cast<std::size_t>(i)]);
  const HistogramPanel panel = drawing<Histogram>(residual_section({"a"}, probability)).panels[0];
  EXPECT_NEAR(panel.mean, 0.75, 1e-12);
  EXPECT_NEAR(panel.sd, std::sqrt((1.35 * 1.35 + 0.65 * 0.65 + 0.55 * 0.55 + 1.45 * 1.45) / 4), 1e-12);
  const double width = panel.edges(1) - panel.edges(0);
  EXPECT_NEAR(panel.density.sum() * width, 1, 1e-12);
  for (const double z : {-0.6, 0.1, 1.3, 2.2})
    for (Index i = 0; i < panel.density.size(); ++i)
      if (panel.edges(i) <= z && z < panel.edges(i + 1))
        EXPECT_NEAR(panel.density(i) * width, 0.25, 1e-12) << z;
}

TEST(ResidualSection, SurvivesCertainMisses) {
  Matrix probability(1, 2);
  probability << 0, 1;
  const HistogramPanel panel = drawing<Histogram>(residual_section({"a"}, probability)).panels[0];
  EXPECT_TRUE(std::isfinite(panel.sd));
  EXPECT_GT(panel.density(0), 0);
  EXPECT_GT(panel.density(panel.density.size() - 1), 0);
  probability << 0, 1.5;
  EXPECT_THROW((void)residual_section({"a"}, probability), InvalidArgument);
}

TEST(CorrelationSection, DividesByTheStandardDeviations) {
  Matrix V(2, 2);
  V << 4, -3, -3, 9;
  const Section section = correlation_section({"a", "b"}, V);
  const auto& heatmap = drawing<Heatmap>(section);
  EXPECT_NEAR(heatmap.values(0, 1), -0.5, 1e-15);
  EXPECT_NEAR(heatmap.values(1, 1), 1, 1e-15);
  EXPECT_EQ(std::get<double>(section.tables[0].rows[1][1]), 3);
}

TEST(ConvergenceSection, DrawsOneFigurePerTrace) {
  const Section section = convergence_section(
      {{"log-evidence", vector({-5, -2, -1}), false}, {"change", vector({0.1, 0.01}), true}}, "Done.");
  ASSERT_EQ(section.figures.size(), 2);
  EXPECT_THAT(drawing<Lines>(section, 0).curves[0].x, ElementsAre(1, 2, 3));
  EXPECT_EQ(drawing<Lines>(section, 0).y.scale, Scale::linear);
  EXPECT_EQ(drawing<Lines>(section, 1).y.scale, Scale::logarithmic);
  EXPECT_THAT(section.text, HasSubstr("Done."));
}

TEST(UnusualSamples, FindsWhatStandsOutInAnyOutputMostUnusualFirst) {
  Matrix epistemic(2, 40);
  for (Index i = 0; i < 40; ++i) epistemic.col(i) << 1 + 0.01 * static_cast<double>(i % 5), 10;
  epistemic(0, 7) = 5;
  epistemic(1, 23) = 900;
  epistemic(1, 11) = 14;  // 1.4 times the median
  EXPECT_THAT(unusual_samples(epistemic), ElementsAre(23, 7));
  EXPECT_THAT(unusual_samples(Matrix::Zero(1, 3)), ElementsAre());
}

TEST(OutlierSection, ListsThemWithTheirTime) {
  Prediction prediction = counted(1, 30);
  prediction.epistemic(0, 12) = 6;
  const Vector time = 1483228800 + 3600 * Vector::LinSpaced(30, 0, 29).array();
  const Section section =
      outlier_section({"a"}, {AxisKind::time, "", time}, prediction, Matrix::Constant(1, 30, -8));
  EXPECT_THAT(section.tables[0].columns,
              ElementsAre("sample", "time (UTC)", "times the median", "a: mean", "epistemic sd", "observed"));
  const std::vector<Cell> expected = {13.0, std::string("2017-01-01 12:00"), 6.0, 12.0, 6.0, -8.0};
  ASSERT_EQ(section.tables[0].rows.size(), 1);
  EXPECT_EQ(section.tables[0].rows[0], expected);
  const auto& curves = drawing<Lines>(section).curves;
  EXPECT_EQ(curves[0].x.size(), 29);
  EXPECT_THAT(curves[1].y, ElementsAre(6));
}

TEST(EvaluationSections, ComeFromAnyPredictive) {
  const Matrix mean = Matrix::NullaryExpr(2, 5, [](Index j, Index i) { return static_cast<double>(i - j); });
  Matrix V(2, 2);
  V << 4, 1, 1, 9;
  const SharedPredictive predictive(mean, Vector::Constant(5, 4), Vector::Constant(5, 0.25), V,
                                    std::numeric_limits<double>::infinity());
  const auto sections = evaluation_sections({"a", "b"}, {}, predictive, mean);
  ASSERT_EQ(sections.size(), 5);
  const BandPanel& panel = drawing<Bands>(sections[0]).panels[1];
  EXPECT_NEAR(panel.aleatoric(3), 6, 1e-12);
  EXPECT_NEAR(panel.epistemic(3), 1.5, 1e-12);
  EXPECT_NEAR(drawing<Histogram>(sections[3]).panels[0].mean, 0, 1e-12);
  EXPECT_EQ(evaluation_sections({"a", "b"}, {}, predictive).size(), 2);
}

}  // namespace
}  // namespace mbll::report
