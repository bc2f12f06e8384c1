#include "mbll/report/figure.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "mbll/error.hpp"
#include "support/vector.hpp"

namespace mbll::report {
namespace {

using test::vector;

using Json = nlohmann::json;

/// The JSON of a report with this one figure.
Json json_of(Figure figure) {
  Report report;
  report.sections.push_back({"heading", "text", "note", {std::move(figure)}, {}});
  return Json::parse(to_json(report))["sections"][0]["figures"][0];
}

Lines one_line(const Vector& x, const Vector& y) { return {{"x"}, {"y"}, {{"curve", x, y}}, {}}; }

TEST(ToJson, HoldsTheWholeReport) {
  Report report;
  report.title = "T";
  report.subtitle = "S";
  report.summary = {{"rmse", 0.25}, {"ended", std::string("converged")}};
  report.sections.push_back({"H", "text", "note", {}, {{"t", "c", {"a", "b"}, {{std::string("x"), 2.5}}}}});
  const Json json = Json::parse(to_json(report));
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["version"], version());
  EXPECT_EQ(json["title"], "T");
  EXPECT_EQ(json["subtitle"], "S");
  EXPECT_EQ(json["summary"],
            Json::parse(R"([{"key":"rmse","value":0.25},{"key":"ended","value":"converged"}])"));
  EXPECT_EQ(json["sections"], Json::parse(R"([{"heading":"H","text":"text","note":"note","figures":[],
      "tables":[{"title":"t","caption":"c","columns":["a","b"],"rows":[["x",2.5]]}]}])"));
}

TEST(ToJson, NamesKindsScalesAndStyles) {
  Lines lines{{"k", Scale::logarithmic}, {"t", Scale::time}, {}, {{2, "best"}}};
  lines.curves = {{"c", vector({1, 2, 4}), vector({3, 5, 7}), CurveStyle::dashed}};
  const Json json = json_of({"title", "caption", lines});
  EXPECT_EQ(json, Json::parse(
                      R"({"title":"title","caption":"caption","kind":"lines","x":{"label":"k","scale":"log"},
      "y":{"label":"t","scale":"time"},"curves":[{"name":"c","x":[1,2,4],"y":[3,5,7],"style":"dashed"}],
      "marks":[{"x":2,"label":"best"}]})"));
  EXPECT_EQ(json_of({"", "", Bands{}})["kind"], "bands");
  EXPECT_EQ(json_of({"", "", Scatter{}})["kind"], "scatter");
  EXPECT_EQ(json_of({"", "", Calibration{}})["kind"], "calibration");
  EXPECT_EQ(json_of({"", "", Histogram{}})["kind"], "histogram");
}

TEST(ToJson, WritesMatricesRowByRow) {
  Matrix values(2, 3);
  values << 1, 2, 3, 4, 5, 6;
  const Json json = json_of({"", "", Heatmap{{"a", "b"}, {"c", "d", "e"}, values, 0, 6}});
  EXPECT_EQ(json["kind"], "heatmap");
  EXPECT_EQ(json["values"], Json::parse("[[1,2,3],[4,5,6]]"));
}

TEST(ToJson, MakesNonFiniteNumbersNull) {
  static constexpr double inf = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Json json = json_of({"", "", one_line(vector({1, 2, 3, 4}), vector({inf, nan, -inf, 0.5}))});
  EXPECT_EQ(json["curves"][0]["y"], Json::parse("[null,null,null,0.5]"));
}

TEST(ToJson, KeepsTheDigitsThatTheRangeNeeds) {
  const double time = 1482710400;
  const Json json = json_of({"", "", one_line(vector({time, time + 3600}), vector({0.123456789, 1000}))});
  EXPECT_EQ(json["curves"][0]["x"], Json::parse("[1482710400,1482714000]"));
  EXPECT_EQ(json["curves"][0]["y"], Json::parse("[0.123457,1000]"));
  const Json close = json_of({"", "", one_line(vector({1, 2}), vector({1000000.25, 1000001.5}))});
  EXPECT_EQ(close["curves"][0]["y"], Json::parse("[1000000.25,1000001.5]"));
}

TEST(ToJson, SurvivesNamesThatAreNotUtf8) {
  Report report;
  report.title = "caf\xe9";
  EXPECT_EQ(Json::parse(to_json(report))["title"], "caf\xef\xbf\xbd");
}

TEST(ToJson, RefusesSizesThatDoNotFit) {
  const Vector two = vector({1, 2});
  const Vector three = vector({1, 2, 3});
  EXPECT_THROW((void)json_of({"", "", one_line(two, three)}), InvalidArgument);
  EXPECT_THROW((void)json_of({"", "", Bands{{}, {{"y", two, two, two, three, {}, {}, {}}}}}),
               InvalidArgument);
  EXPECT_THROW((void)json_of({"", "", Bands{{}, {{"y", two, two, two, two, two, three, {}}}}}),
               InvalidArgument);
  EXPECT_THROW((void)json_of({"", "", Scatter{{{"y", two, two, three, two}}}}), InvalidArgument);
  EXPECT_THROW((void)json_of({"", "", Calibration{two, {{"y", three, 0}}, 9}}), InvalidArgument);
  EXPECT_THROW((void)json_of({"", "", Histogram{{}, {{"y", three, three, 0, 1}}, true}}), InvalidArgument);
  EXPECT_THROW((void)json_of({"", "", Heatmap{{"a"}, {"b"}, Matrix::Zero(2, 1), 0, 1}}), InvalidArgument);
  Report report;
  report.sections.push_back({"", "", "", {}, {{"t", "", {"a", "b"}, {{1.0}}}}});
  EXPECT_THROW((void)to_json(report), InvalidArgument);
}

}  // namespace
}  // namespace mbll::report
