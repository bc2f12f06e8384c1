#include <nlohmann/json.hpp>

#include "cli/shell.hpp"

/// One test per way in which input can be bad: exit code, a message that names file, line and column, and no
/// output file left behind or damaged.
namespace mbll::test {
namespace {

const char* const kFit = " --target y --features linear --out model.json --report report.html";

class BadInput : public Shell {
 protected:
  /// A fit of this text is refused with exit code 3 and leaves no file.
  void expect_fit_refused(const std::string& text, const std::vector<std::string>& words) {
    write("data.csv", text);
    expect_refused(mbll("fit data.csv" + std::string(kFit)), 3, words);
    EXPECT_EQ(files(), std::vector<std::string>{"data.csv"});
  }
  /// A damaged model is refused by every command that reads one, and by none is anything written.
  void expect_model_refused(const std::string& content, const std::vector<std::string>& words) {
    write_data("data.csv", 5);
    write("model.json", content);
    for (const char* command : {"predict model.json data.csv --out p.csv", "evaluate model.json data.csv",
                                "update model.json data.csv --out model.json", "inspect model.json",
                                "report model.json data.csv --out r.html"})
      expect_refused(mbll(command), 3, words);
    EXPECT_EQ(read("model.json"), content);
    EXPECT_EQ(files(), (std::vector<std::string>{"data.csv", "model.json"}));
  }
};

std::string lines(int count, const std::string& extra = "") {
  std::string text = "x,y\n";
  for (int i = 0; i < count; ++i) text += fmt::format("{},{}\n", i, i % 7 + 0.5 * i);
  return text + extra;
}

TEST_F(BadInput, MissingFile) {
  expect_refused(mbll("fit none.csv" + std::string(kFit)), 3, {"none.csv", "No such file"});
  expect_refused(mbll("predict none.json none.csv"), 3, {"none.json", "No such file"});
  EXPECT_TRUE(files().empty());
}

TEST_F(BadInput, Directory) {
  std::filesystem::create_directory(path("folder"));
  expect_refused(mbll("fit folder" + std::string(kFit)), 3, {"folder", "directory"});
  expect_refused(mbll("inspect folder"), 3, {"folder", "directory"});
  EXPECT_EQ(files(), std::vector<std::string>{"folder"});
}

TEST_F(BadInput, EmptyFile) { expect_fit_refused("", {"data.csv", "empty"}); }

TEST_F(BadInput, HeaderOnly) { expect_fit_refused("x,y\n", {"data.csv", "header but no data"}); }

TEST_F(BadInput, RaggedLine) { expect_fit_refused(lines(20, "1,2,3\n"), {"data.csv:22", "3"}); }

TEST_F(BadInput, TextInANumericColumn) {
  expect_fit_refused(lines(20, "1,red\n"), {"data.csv:22", "column 'y'", "red"});
  expect_fit_refused(lines(20, "red,1\n"), {"data.csv:22", "column 'x'", "red"});
}

TEST_F(BadInput, NanAndInfinity) {
  expect_fit_refused(lines(20, "nan,1\n"), {"data.csv:22", "column 'x'", "nan"});
  expect_fit_refused(lines(20, "1,inf\n"), {"data.csv:22", "column 'y'", "inf"});
}

TEST_F(BadInput, MissingValue) {
  expect_fit_refused(lines(20, "1,NA\n"), {"data.csv:22", "column 'y'", "missing"});
  fit_model();
  write("new.csv", "a,b\n1,2\n,3\n");
  expect_refused(mbll("predict model.json new.csv --out p.csv"), 3, {"new.csv:3", "column 'a'"});
  EXPECT_FALSE(exists("p.csv"));
}

TEST_F(BadInput, WrongColumnName) {
  write("data.csv", "speed,angle,force\n1,2,3\n");
  expect_refused(mbll("fit data.csv --target froce --out model.json"), 3,
                 {"data.csv", "'froce'", "'force'", "speed, angle, force"});
  expect_refused(mbll("fit data.csv --target force --inputs speed,angel --out model.json"), 3,
                 {"data.csv", "'angel'", "'angle'"});
  expect_refused(mbll("fit data.csv --target force --noise column:sigma --out model.json"), 3,
                 {"data.csv", "'sigma'"});
  EXPECT_FALSE(exists("model.json"));
}

TEST_F(BadInput, DuplicateColumnName) { expect_fit_refused("x,y,x\n1,2,3\n", {"data.csv", "'x'"}); }

TEST_F(BadInput, NoTarget) {
  write_data("data.csv");
  expect_refused(mbll("fit data.csv --out model.json"), 2, {"--target", "a, b, y, z"});
  EXPECT_FALSE(exists("model.json"));
}

TEST_F(BadInput, TargetMissingAtEvaluate) {
  fit_model();
  write("new.csv", "a,b,y\n1,2,3\n");
  expect_refused(mbll("evaluate model.json new.csv"), 3, {"new.csv", "target column 'z'", "a, b, y"});
  const std::string before = read("model.json");
  expect_refused(mbll("update model.json new.csv --out model.json"), 3, {"new.csv", "'z'"});
  EXPECT_EQ(read("model.json"), before);
}

TEST_F(BadInput, TooFewSamples) { expect_fit_refused(lines(5), {"data.csv", "samples", "5", "10"}); }

TEST_F(BadInput, ConstantTarget) {
  std::string text = "x,y\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{},3\n", i);
  expect_fit_refused(text, {"data.csv", "y", "constant"});
}

TEST_F(BadInput, HugeValues) {
  expect_fit_refused(lines(20, "1e300,1\n"), {"data.csv", "column 'x'", "1e+300", "too large"});
  expect_fit_refused(lines(20, "1,-1e300\n"), {"data.csv", "column 'y'", "too large"});
  fit_model();
  write("new.csv", "a,b\n1,2\n1e300,3\n");
  expect_refused(mbll("predict model.json new.csv --out p.csv"), 3, {"new.csv", "column 'a'", "too large"});
  EXPECT_FALSE(exists("p.csv"));
}

TEST_F(BadInput, TruncatedGzip) {
  write("whole.csv", lines(3000));
  ASSERT_EQ(sh("gzip -c whole.csv | head -c 4000 > data.csv.gz; rm whole.csv").code, 0);
  expect_refused(mbll("fit data.csv.gz" + std::string(kFit)), 3, {"data.csv.gz"});
  EXPECT_EQ(files(), std::vector<std::string>{"data.csv.gz"});
}

TEST_F(BadInput, TruncatedModel) {
  fit_model();
  const std::string whole = read("model.json");
  expect_model_refused(whole.substr(0, whole.size() / 2), {"model.json", "damaged"});
  expect_model_refused("", {"model.json", "empty"});
}

TEST_F(BadInput, CorruptModel) {
  expect_model_refused("not a model\n", {"model.json", "damaged"});
  expect_model_refused("{}", {"model.json", "format"});
  expect_model_refused(std::string("\xa1\x63xyz\x5f", 6), {"model.json", "damaged"});
}

TEST_F(BadInput, ForgedModel) {
  fit_model();
  const auto whole = nlohmann::ordered_json::parse(read("model.json"));
  const auto forged = [&](const char* pointer, const nlohmann::ordered_json& value) {
    auto json = whole;
    json[nlohmann::ordered_json::json_pointer(pointer)] = value;
    return json.dump();
  };
  expect_model_refused(forged("/members/0/posterior/mean/rows", -2),
                       {"model.json", "members[0].posterior.mean.rows"});
  expect_model_refused(forged("/members/0/posterior/mean/columns", 1e12),
                       {"model.json", "members[0].posterior.mean"});
  expect_model_refused(forged("/members/0/posterior/column_covariance/size", 1e12),
                       {"model.json", "members[0].posterior.column_covariance.size"});
  expect_model_refused(forged("/outputs/names", {"y"}), {"model.json", "outputs.mean"});
  expect_model_refused(forged("/format", 2),
                       {"model.json", "was written by a newer mbll (format 2, this is"});
}

TEST_F(BadInput, ModelAndDataThatDoNotFitEachOther) {
  fit_model();
  write("other.csv", "aa,c\n1,2\n");
  expect_refused(mbll("predict model.json other.csv --out p.csv"), 3,
                 {"other.csv", "input column 'a'", "aa, c"});
  expect_refused(mbll("report model.json other.csv --out r.html"), 3, {"other.csv", "input column 'a'"});
  EXPECT_FALSE(exists("p.csv") || exists("r.html"));
}

TEST_F(BadInput, DiskFull) {
  fit_model();
  expect_refused(mbll("predict model.json data.csv --out /dev/full"), 1, {"/dev/full", "No space left"});
  expect_refused(mbll("fit data.csv --target y --features linear --out /dev/full"), 1, {"/dev/full"});
  expect_refused(mbll("update model.json data.csv --out /dev/full"), 1, {"/dev/full"});
  expect_refused(mbll("report model.json data.csv --out /dev/full"), 1, {"/dev/full"});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  const Result result = sh("mbll predict model.json data.csv > /dev/full");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("standard output: cannot write: No space left"), std::string::npos) << result.err;
}

TEST_F(BadInput, OutputNotWritable) {
  fit_model();
  const auto before = files();
  expect_refused(mbll("predict model.json data.csv --out no/such/folder/p.csv"), 1,
                 {"no/such/folder/p.csv", "cannot write"});
  expect_refused(mbll("fit data.csv --target y --features linear --out . --report r.html"), 1,
                 {".: cannot write"});
  expect_refused(mbll("fit data.csv --target y --features linear --out m.json --report no/r.html"), 1,
                 {"no/r.html"});
  EXPECT_EQ(files(), before);
}

TEST_F(BadInput, ClosedPipe) {
  fit_model();
  write_data("big.csv", 20000);
  const Result result = sh("{ mbll predict model.json big.csv; echo $? > .code; } | head -n 2");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2);
  EXPECT_EQ(read(".code"), "0\n");
}

TEST_F(BadInput, UnknownOptionOrCommand) {
  write_data("data.csv");
  expect_refused(mbll("fit data.csv --traget y"), 2, {"--traget", "--target"});
  expect_refused(mbll("fti data.csv"), 2, {"'fti'", "fit"});
  expect_refused(mbll("fit data.csv --target y --features rbff"), 2, {"--features", "rbff", "rbf"});
  expect_refused(mbll("fit data.csv --target y --hidden 5,x"), 2, {"--hidden", "'x'"});
  expect_refused(mbll("fit data.csv --target y --epochs many"), 2, {"--epochs", "many"});
  expect_refused(mbll("predict"), 2, {"model"});
  expect_refused(mbll(""), 2, {"command"});
}

}  // namespace
}  // namespace mbll::test
