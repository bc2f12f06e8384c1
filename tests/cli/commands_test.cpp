#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/shell.hpp"

namespace mbll::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Predictions agree to 10 digits, cell by cell. Not bit by bit: which samples come in together is left to
/// the pipe, and a matrix product rounds the last digit by their number.
void expect_nearly(const std::string& a, const std::string& b) {
  const auto lines_a = split(a, '\n');
  const auto lines_b = split(b, '\n');
  ASSERT_EQ(lines_a.size(), lines_b.size());
  for (std::size_t i = 1; i < lines_a.size(); ++i) {
    const auto cells_a = split(lines_a[i], ',');
    const auto cells_b = split(lines_b[i], ',');
    ASSERT_EQ(cells_a.size(), cells_b.size());
    for (std::size_t j = 0; j < cells_a.size(); ++j) {
      if (cells_a[j].empty() || cells_b[j].empty())
        EXPECT_EQ(cells_a[j], cells_b[j]);
      else
        EXPECT_NEAR(std::stod(cells_a[j]), std::stod(cells_b[j]),
                    1e-10 * (1 + std::abs(std::stod(cells_a[j]))));
    }
  }
}

class Commands : public Shell {
 protected:
  /// What a command prints, which must succeed.
  std::string ok(const std::string& arguments) {
    const Result result = mbll(arguments);
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.err;
    return result.out;
  }
  Json json(const std::string& arguments) {
    const std::string out = ok(arguments);
    return Json::parse(out, nullptr, false);
  }
};

TEST_F(Commands, VersionAndHelp) {
  EXPECT_EQ(ok("--version").find("mbll "), 0U);
  for (const char* name : {"fit", "predict", "evaluate", "update", "select", "inspect", "report", "demo"})
    EXPECT_NE(ok(std::string(name) + " --help").find("Examples:"), std::string::npos) << name;
}

TEST_F(Commands, FromFitToReport) {
  write_data("data.csv");
  write_data("test.csv", 40, 0.3);
  const std::string summary =
      ok("fit data.csv --target y,z --hidden 8 --epochs 20 --members 2 --out model.json --report fit.html");
  for (const char* word : {"60 samples", "y, z from a, b", "cross-fitted",
                           "held-out samples given the others", "out of fold", "RMSE", "coverage"})
    EXPECT_NE(summary.find(word), std::string::npos) << word << " in\n" << summary;
  EXPECT_NE(read("fit.html").find("</html>"), std::string::npos);

  const auto lines = split(ok("predict model.json test.csv --exact"), '\n');
  ASSERT_EQ(lines.size(), 41U);
  EXPECT_EQ(lines[0],
            "y,y_std,y_aleatoric_std,y_epistemic_std,y_lower,y_upper,"
            "z,z_std,z_aleatoric_std,z_epistemic_std,z_lower,z_upper");
  const auto cells = split(lines[7], ',');
  ASSERT_EQ(cells.size(), 12U);
  const double total = std::stod(cells[1]);
  EXPECT_NEAR(total, std::hypot(std::stod(cells[2]), std::stod(cells[3])), 1e-12 * total);
  EXPECT_LT(std::stod(cells[4]), std::stod(cells[0]));
  EXPECT_GT(std::stod(cells[5]), std::stod(cells[0]));

  const Json scores = json("evaluate model.json test.csv --json");
  EXPECT_EQ(scores["n"], 40);
  for (const char* key : {"rmse", "nll", "ece", "crps", "sharpness"}) {
    EXPECT_TRUE(scores[key].is_number()) << key;
    EXPECT_TRUE(scores["outputs"]["z"][key].is_number()) << key;
  }
  for (const char* level : {"0.5", "0.9", "0.95", "0.99"}) EXPECT_TRUE(scores["coverage"][level].is_number());
  EXPECT_NE(ok("evaluate model.json test.csv").find("all together"), std::string::npos);

  EXPECT_EQ(json("update model.json test.csv --out next.json --json")["samples"], 100);
  EXPECT_LT(json("evaluate next.json test.csv --json")["nll"].get<double>(), scores["nll"].get<double>());
  EXPECT_EQ(json("inspect next.json --json")["samples"], 100);
  EXPECT_NE(ok("inspect next.json").find("noise correlation"), std::string::npos);
  ok("report next.json test.csv --out report.html");
  EXPECT_NE(read("report.html").find("</html>"), std::string::npos);
}

TEST_F(Commands, PredictionsAreTheSameWhateverTheWay) {
  write_data("data.csv");
  const std::string fit = "fit data.csv --target y,z --hidden 6 --epochs 5 --members 2 --seed 4 --out ";
  ok(fit + "model.json --threads 1");
  ok(fit + "again.json --threads 2");
  EXPECT_EQ(read("model.json"), read("again.json"));
  ok(fit + "model.cbor");
  write_data("new.csv", 3000, 0.1);
  const std::string whole = ok("predict model.json new.csv --threads 1");
  EXPECT_EQ(ok("predict model.cbor new.csv --threads 2"), whole);
  EXPECT_EQ(sh("mbll predict model.json - < new.csv").out, whole);
  EXPECT_EQ(sh("gzip -c new.csv | mbll predict model.json -").out, whole);
  expect_nearly(sh("gzip -c new.csv | mbll predict model.json - --stream").out, whole);
  EXPECT_EQ(ok("predict model.json new.csv --out p.csv"), "");
  EXPECT_EQ(read("p.csv"), whole);
}

TEST_F(Commands, StreamAnswersEveryLineAtOnce) {
  fit_model();
  // The second line is sent only after the answer to the first has come back.
  const Result result =
      sh("mkfifo in out; \"$MBLL\" predict model.json - --stream < in > out & exec 3> in 4< out;"
         "echo a,b >&3; echo 1,2 >&3; read -r header <&4; read -r first <&4; echo \"$first\";"
         "echo 3,4 >&3; read -r second <&4; echo \"$second\"; exec 3>&-; wait");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(split(result.out, '\n').size(), 2U) << result.out;
}

TEST_F(Commands, PredictKeepsOneLinePerSample) {
  fit_model();
  write("new.csv", "a,b\n1,2\n,3\n4,5\n");
  const Result dropped = mbll("predict model.json new.csv --missing drop");
  EXPECT_NE(dropped.err.find("1 of 3 samples"), std::string::npos) << dropped.err;
  const auto lines = split(dropped.out, '\n');
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[2], ",,,,,,,,,,,");
  write("filled.csv", "a,b\n1,2\n4,5\n");
  const auto filled = split(ok("predict model.json filled.csv"), '\n');
  EXPECT_EQ(lines[1], filled[1]);
  EXPECT_EQ(lines[3], filled[2]);
  EXPECT_EQ(split(ok("predict model.json new.csv --missing mean"), '\n')[3], filled[2]);
}

TEST_F(Commands, PredictLevelAndCovariance) {
  fit_model();
  const auto narrow = split(split(ok("predict model.json data.csv --level 0.5"), '\n')[1], ',');
  const auto wide = split(split(ok("predict model.json data.csv --level 0.99 --covariance"), '\n')[1], ',');
  EXPECT_EQ(narrow.size() + 1, wide.size());
  EXPECT_LT(std::stod(wide[4]), std::stod(narrow[4]));
  EXPECT_NE(ok("predict model.json data.csv --covariance").find("y_z_cov"), std::string::npos);
  const Json first = Json::parse(split(ok("predict model.json data.csv --json"), '\n')[0]);
  EXPECT_EQ(first["y"].get<double>(), std::stod(wide[0]));
  EXPECT_EQ(mbll("predict model.json data.csv --level 1.5").code, 2);
}

TEST_F(Commands, OptionsFromAFile) {
  write_data("data.csv");
  write(
      "options.json",
      R"({"target": ["y", "z"], "features": "poly", "degree": 2, "json": true, "column_covariance": "diagonal"})");
  EXPECT_EQ(json("fit data.csv --config options.json")["features"], "polynomial of degree 2");
  EXPECT_EQ(json("fit data.csv --config options.json --degree 3")["features"], "polynomial of degree 3");
  write("wrong.json", R"({"traget": "y"})");
  expect_refused(mbll("fit data.csv --config wrong.json"), 2, {"wrong.json", "'traget'", "--target"});
  write("broken.json", "{");
  expect_refused(mbll("fit data.csv --config broken.json"), 2, {"broken.json"});
  expect_refused(mbll("fit data.csv --config none.json"), 2, {"none.json"});
}

TEST_F(Commands, EveryKindOfFit) {
  write_data("data.csv");
  for (const char* options :
       {"--features linear", "--features poly --degree 2", "--features rbf --kernels 9",
        "--features fourier --kernels 9 --lengthscale 1", "--features linear --noise column:z",
        "--features linear --covariance unknown --hyperprior identity",
        "--hidden 5 --epochs 3 --train two-phase --column-covariance full --activation tanh",
        "--hidden 5 --epochs 3 --train two-phase --prior-mean pretrained --hyperprior scale-invariant",
        "--hidden 5 --epochs 3 --train end-to-end --rounds 2 --prior-mean ones",
        "--hidden 5 --epochs 3 --members 2 --noise constant --column-covariance diagonal --covariance "
        "unknown"}) {
    // A σ column has to be positive.
    const std::string data =
        std::string(options).find("column:") != std::string::npos ? "sigma.csv" : "data.csv";
    ASSERT_EQ(sh("sed 's/-//g' data.csv > sigma.csv").code, 0);
    const Json summary = json("fit " + data + " --target y --json --out m.json " + options);
    EXPECT_TRUE(summary["log_evidence"].is_number()) << options;
    EXPECT_TRUE(json("evaluate m.json " + data + " --json")["nll"].is_number()) << options;
    ok("report m.json " + data + " --out r.html");
  }
}

TEST_F(Commands, StrictFitThatDoesNotConverge) {
  write_data("data.csv");
  const std::string fit = "fit data.csv --target y --features poly --max-steps 1 --out model.json";
  EXPECT_EQ(mbll(fit + " --strict").code, 4);
  EXPECT_FALSE(exists("model.json"));
  EXPECT_EQ(mbll(fit).code, 0);
  EXPECT_NE(ok("inspect model.json").find("NOT converged"), std::string::npos);
}

TEST_F(Commands, LaggedModelsBuildTheirRegressors) {
  for (const bool dates : {false, true}) {
    std::string text = "t,u,y\n";
    double y = 0;
    for (int i = 0; i < 80; ++i) {
      const double u = std::sin(0.9 * i * i);
      y = 0.6 * y + u + 0.01 * std::cos(5.0 * i);
      const int minute = 10 * i + (i >= 50 ? 10 : 0);
      text +=
          dates ? fmt::format("2016-02-29 {:02}:{:02}", minute / 60, minute % 60) : fmt::format("{}", minute);
      text += fmt::format(",{},{}\n", u, y);
    }
    write("series.csv", text);
    const Json fit =
        json("fit series.csv --target y --features linear --time t --lags 1,2 --json --out m.json");
    EXPECT_EQ(fit["inputs"], Json::array({"u", "y[t-1]", "y[t-2]"}));
    EXPECT_EQ(fit["samples"], 76);  // without the first two, and the two after the gap
    const auto lines = split(ok("predict m.json series.csv"), '\n');
    ASSERT_EQ(lines.size(), 81U);
    for (const std::size_t line : {1, 2, 51, 52}) EXPECT_EQ(lines[line], ",,,,,") << line;
    EXPECT_NE(lines[3], ",,,,,");
    expect_nearly(sh("mbll predict m.json - --stream < series.csv").out, ok("predict m.json series.csv"));
    EXPECT_LT(json("evaluate m.json series.csv --json")["rmse"].get<double>(), 0.05);
    ok("report m.json series.csv --out r.html");
    ok("select series.csv --target y --features linear --time t --lags 1,1 --lags 1,2");
  }
}

TEST_F(Commands, SelectFindsTheRightDegree) {
  std::string text = "x,y\n";
  for (int i = 0; i < 60; ++i) {
    const double x = -1 + i / 30.0;
    text += fmt::format("{},{}\n", x, 1 + x - 2 * x * x + 0.05 * std::sin(31.0 * i * i));
  }
  write("data.csv", text);
  const Json ranking = json("select data.csv --target y --features linear,poly --degree 2,3,5 --json");
  EXPECT_EQ(ranking["n"], 60);
  EXPECT_EQ(ranking["candidates"].size(), 4U);
  EXPECT_EQ(ranking["candidates"][0]["name"].get<std::string>().find("poly, degree 2"), 0U)
      << ranking.dump(1);
  EXPECT_NE(ok("select data.csv --target y").find("ln evidence"), std::string::npos);
  expect_refused(mbll("select data.csv --target y --features mlp"), 2, {"mlp", "Networks are not ranked"});
}

TEST_F(Commands, MissingValuesOnRequest) {
  write_data("data.csv");
  ASSERT_EQ(sh("sed '5s/^[^,]*/NA/; 9s/[^,]*$//' data.csv > holes.csv").code, 0);
  const std::string fit = "fit holes.csv --target y,z --features linear --json";
  EXPECT_EQ(mbll(fit).code, 3);
  EXPECT_EQ(json(fit + " --missing drop")["samples"], 58);
  EXPECT_EQ(json(fit + " --missing mean")["samples"], 59);  // a target has no substitute
  EXPECT_EQ(json(fit + " --missing interpolate")["samples"], 60);
  EXPECT_EQ(mbll(fit + " --missing maybe").code, 2);
}

TEST_F(Commands, InterruptedFitLeavesNothing) {
  write_data("data.csv", 400);
  // Signalled as soon as it has said that it handles the signal.
  const Result result = sh(
      "\"$MBLL\" fit data.csv --target y --epochs 1000000 --out model.json & pid=$!;"
      "until grep -q '^SigCgt:.*4...$' /proc/$pid/status; do sleep 0.05; done; kill -TERM $pid; wait $pid");
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(files(), std::vector<std::string>{"data.csv"});
}

}  // namespace
}  // namespace mbll::test
