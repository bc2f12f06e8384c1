#include "mbll/report/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "mbll/error.hpp"
#include "mbll/report/sections.hpp"
#include "support/folder.hpp"

namespace mbll::report {
namespace {

namespace fs = std::filesystem;
using test::Folder;
using testing::HasSubstr;

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Report small_report() {
  Report report;
  report.title = "A <b>title</b> & more";
  report.summary = {{"</script><script>alert(1)</script>", 1.0}};
  return report;
}

/// The text between the data element's tags.
std::string embedded_data(const std::string& html) {
  const std::string tag = "<script type=\"application/json\" id=\"data\">";
  const std::size_t start = html.find(tag) + tag.size();
  return html.substr(start, html.find("</script>", start) - start);
}

TEST(ToHtml, EmbedsTheDataSoThatItCannotEndItsElement) {
  const std::string data = embedded_data(to_html(small_report()));
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(data), nlohmann::json::parse(to_json(small_report())));
}

TEST(ToHtml, EscapesTheTitle) {
  EXPECT_THAT(to_html(small_report()), HasSubstr("<title>A &lt;b&gt;title&lt;/b&gt; &amp; more</title>"));
}

TEST(ToHtml, NamesNothingOutsideItself) {
  const std::string html = to_html(small_report());
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  for (const char* outside : {" src=", "@import", "url(http", "@STYLE@", "@SCRIPT@", "@DATA@"})
    EXPECT_THAT(html, testing::Not(HasSubstr(outside)));
}

TEST(WriteReport, WritesTheWholePageAndNothingElse) {
  const Folder folder;
  write_report(folder.file("report.html"), small_report());
  EXPECT_EQ(content(folder.file("report.html")), to_html(small_report()));
  EXPECT_EQ(folder.entries(), 1);
}

TEST(WriteReport, NamesAPathThatCannotBeWritten) {
  const Folder folder;
  const std::string path = folder.file("missing/report.html");
  try {
    write_report(path, small_report());
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_EQ(error.what(), path + ": cannot write: No such file or directory");
  }
  fs::create_directory(folder.file("directory"));
  EXPECT_THROW(write_report(folder.file("directory"), small_report()), DataError);
  EXPECT_EQ(folder.entries(), 1);
}

TEST(WriteReport, LeavesTheOldPageWhenTheDiskIsFull) {
  const Folder folder;
  const std::string path = folder.file("report.html");
  std::ofstream(path) << "old";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_report(path, small_report()), DataError);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(WriteReport, LeavesTheOldPageWhenTheReportIsWrong) {
  const Folder folder;
  const std::string path = folder.file("report.html");
  std::ofstream(path) << "old";
  Report report = small_report();
  report.sections.push_back({"", "", "", {{"", "", Heatmap{{"a"}, {}, Matrix::Zero(2, 2), 0, 1}}}, {}});
  EXPECT_THROW(write_report(path, report), InvalidArgument);
  EXPECT_EQ(content(path), "old");
}

TEST(ToHtml, HundredThousandSamplesOfSixOutputsFitThreeMegabytes) {
  const Index p = 6;
  const Index samples = 100000;
  Rng rng = make_rng(3);
  std::normal_distribution<double> normal;
  const Matrix mean = Matrix::NullaryExpr(p, samples, [&] { return 1000 * normal(rng); });
  // Half of the samples lie beyond three standard deviations: the worst case for what is kept.
  const Matrix observed = mean.unaryExpr([&](double value) { return value + 4 * normal(rng); });
  const Matrix sd = Matrix::NullaryExpr(p, samples, [&] { return std::exp(normal(rng)); });
  const Prediction prediction(mean, sd, sd);
  const Names names = {"a", "b", "c", "d", "e", "f"};
  Report report;
  report.sections = {prediction_section(names, {}, prediction, observed),
                     observed_predicted_section(names, prediction, observed),
                     outlier_section(names, {}, prediction, observed)};
  EXPECT_LE(to_html(report).size(), 3'000'000);
}

}  // namespace
}  // namespace mbll::report
