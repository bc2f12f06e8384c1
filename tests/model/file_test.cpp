#include "mbll/model/file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "mbll/data/synthetic.hpp"
#include "mbll/error.hpp"
#include "mbll/features/combined.hpp"
#include "mbll/features/gaussian_kernels.hpp"
#include "mbll/features/identity.hpp"
#include "mbll/features/network.hpp"
#include "mbll/features/polynomial.hpp"
#include "mbll/features/random_fourier.hpp"
#include "mbll/features/standardised.hpp"
#include "mbll/model/fit.hpp"
#include "support/folder.hpp"

namespace mbll {
namespace {

using Json = nlohmann::ordered_json;

FitData small_data() {
  const SyntheticSet set = multivariate_heteroscedastic(80, 3);
  return {set.X, set.Y, {}, set.input_names, set.output_names};
}

FitOptions small_options() {
  FitOptions options;
  options.hidden = {7, 5};
  options.epochs = 5;
  options.members = 2;
  options.seed = 11;
  options.threads = 1;
  return options;
}

Model fitted(FeatureKind features, TrainKind train, bool covariance_known = true) {
  FitOptions options = small_options();
  options.features = features;
  options.train = train;
  options.kernels = 12;
  options.rounds = 2;
  options.layer.covariance_known = covariance_known;
  return fit(small_data(), options);
}

Matrix new_points() { return multivariate_heteroscedastic(9, 8).X * 1.5; }

/// Not nearly: the same bits.
void expect_same_predictions(const Model& a, const Model& b, const Vector& given = Vector()) {
  const Matrix X = new_points();
  const auto before = a.predict(X, given);
  const auto after = b.predict(X, given);
  EXPECT_TRUE(before->mean() == after->mean());
  EXPECT_TRUE(before->aleatoric_variance() == after->aleatoric_variance());
  EXPECT_TRUE(before->epistemic_variance() == after->epistemic_variance());
  EXPECT_TRUE(before->total_covariance(2) == after->total_covariance(2));
  EXPECT_TRUE(before->interval(0.9).lower == after->interval(0.9).lower);
  EXPECT_EQ(before->dof(), after->dof());
}

void expect_round_trip(const Model& model, const Vector& given = Vector()) {
  for (const ModelEncoding encoding : {ModelEncoding::json, ModelEncoding::cbor}) {
    const std::string bytes = model_to_bytes(model, encoding);
    const Model again = model_from_bytes(bytes);
    expect_same_predictions(model, again, given);
    EXPECT_EQ(model_to_bytes(again, encoding), bytes);
    EXPECT_EQ(again.input_names(), model.input_names());
    EXPECT_EQ(again.output_names(), model.output_names());
    EXPECT_TRUE(again.noise_covariance() == model.noise_covariance());
    // The update needs what prediction does not: the precision side of the covariances.
    const SyntheticSet more = multivariate_heteroscedastic(5, 21);
    const Vector sigma = given.size() > 0 ? Vector::Ones(5) : Vector();
    expect_same_predictions(model.update(more.X, more.Y, sigma), again.update(more.X, more.Y, sigma), given);
  }
}

TEST(ModelFile, KeepsEveryBitOfFixedFeatures) {
  for (const auto kind :
       {FeatureKind::linear, FeatureKind::polynomial, FeatureKind::kernels, FeatureKind::fourier})
    expect_round_trip(fitted(kind, TrainKind::cross_fitted));
}

TEST(ModelFile, KeepsEveryBitOfNetworks) {
  for (const auto train : {TrainKind::two_phase, TrainKind::end_to_end, TrainKind::cross_fitted})
    for (const bool known : {true, false}) expect_round_trip(fitted(FeatureKind::mlp, train, known));
}

TEST(ModelFile, KeepsGivenNoiseAndLags) {
  FitData data = small_data();
  data.sigma = Vector::LinSpaced(80, 0.1, 0.9);
  FitOptions options = small_options();
  options.noise = NoiseKind::given;
  options.train = TrainKind::two_phase;
  Model::Parts parts = fit(data, options).parts();
  parts.lags = {1, 2, {"x1"}, "time", 3600.5};
  parts.noise_column = "s";
  const Model model(parts);
  expect_round_trip(model, Vector::LinSpaced(9, 0.5, 1.5));
  const Model again = model_from_bytes(model_to_bytes(model));
  EXPECT_EQ(again.parts().noise_column, "s");
  EXPECT_EQ(again.parts().lags.output_order, 2);
  EXPECT_EQ(again.parts().lags.inputs, std::vector<std::string>{"x1"});
  EXPECT_EQ(again.parts().lags.time, "time");
  EXPECT_EQ(again.parts().lags.step, 3600.5);
}

/// A model on hand-made features: the posterior is that of another model with as many features.
Model on_features(const FeatureMap& features) {
  Model::Parts parts = fitted(FeatureKind::linear, TrainKind::two_phase).parts();
  std::vector<Index> all;
  for (Index i = 0; i < 80; ++i) all.push_back(i);
  const FitData data = small_data();
  const MemberFit fit =
      fit_fixed(features, parts.inputs.transform(data.X), parts.outputs.transform(data.Y), Vector(), all, {});
  parts.members.assign(1, fit.member);
  return Model(std::move(parts));
}

TEST(ModelFile, KeepsEveryKindOfFeatureMapAndTheirNesting) {
  const Matrix X = small_data().X;
  nn::NetworkSpec spec;
  spec.inputs = 2;
  spec.hidden = {4, 3};
  spec.outputs = 3;
  spec.activation = nn::Activation::softplus;
  const auto network = std::make_shared<const nn::DensityNetwork<float>>(spec, 5);
  const FeatureMap nested = WithConstant{
      Concatenated{{Mirrored{NetworkBackbone{network}}, Standardised::fit(Polynomial::of_degree(2, 3), X),
                    GaussianKernels::of_width(X.leftCols(6), 0.7), RandomFourier::gaussian(5, 2, 1.1, 3),
                    Identity{2}, NetworkBackbone{network}}}};
  const Model model = on_features(nested);
  expect_round_trip(model);
  const Json json = Json::parse(model_to_bytes(model));
  EXPECT_EQ(json["members"][0]["networks"].size(), 1U) << "a shared network is stored once";
}

struct OwnFeatures {
  [[nodiscard]] Index inputs() const { return 2; }
  [[nodiscard]] Index features() const { return 2; }
  void map(const MatrixView& X, MatrixSpan Phi) const { Phi = 2 * X; }
};

TEST(ModelFile, RefusesToStoreAnUnknownFeatureMap) {
  EXPECT_THROW((void)model_to_bytes(on_features(WithConstant{OwnFeatures{}})), InvalidArgument);
}

TEST(ModelFile, KeepsTheReport) {
  const Model model = fitted(FeatureKind::mlp, TrainKind::two_phase);
  const FitReport& before = model.report();
  const Model again = model_from_bytes(model_to_bytes(model, ModelEncoding::cbor));
  const FitReport& after = again.report();
  EXPECT_EQ(after.pipeline, before.pipeline);
  EXPECT_EQ(after.features, before.features);
  EXPECT_EQ(after.samples, before.samples);
  EXPECT_EQ(after.seed, before.seed);
  EXPECT_EQ(after.log_evidence, before.log_evidence);
  EXPECT_EQ(after.converged, before.converged);
  EXPECT_EQ(after.em_end, before.em_end);
  ASSERT_EQ(after.trace.size(), before.trace.size());
  ASSERT_FALSE(before.trace.empty());
  EXPECT_EQ(after.trace.back().column_trace, before.trace.back().column_trace);
  EXPECT_EQ(after.trace.back().evaluations, before.trace.back().evaluations);
  EXPECT_EQ(after.training_loss, before.training_loss);
  EXPECT_EQ(after.validation_samples, before.validation_samples);
  EXPECT_EQ(after.validation.nll, before.validation.nll);
  EXPECT_TRUE(after.validation.coverage == before.validation.coverage);
}

TEST(ModelFile, DependsOnDataOptionsAndSeedOnly) {
  const auto bytes = [] { return model_to_bytes(fitted(FeatureKind::mlp, TrainKind::cross_fitted)); };
  EXPECT_EQ(bytes(), bytes());
}

/// What is said of damaged bytes; empty if they were accepted.
std::string complaint(const std::string& bytes) {
  try {
    (void)model_from_bytes(bytes, "m.json");
    return "";
  } catch (const DataError& error) {
    return error.what();
  }
}

class ForgedModel : public ::testing::Test {
 protected:
  ForgedModel() : json_(Json::parse(model_to_bytes(fitted(FeatureKind::mlp, TrainKind::two_phase)))) {}

  /// Replaces one value and expects a complaint that names the file and the field.
  void expect_refused(const std::string& pointer, const Json& value, const std::string& field) const {
    Json forged = json_;
    forged[Json::json_pointer(pointer)] = value;
    const std::string said = complaint(forged.dump());
    EXPECT_EQ(said.find("m.json: "), 0U) << pointer << " → " << value << ": " << said;
    EXPECT_NE(said.find(field), std::string::npos) << pointer << " → " << value << ": " << said;
  }
  Json json_;
};

TEST_F(ForgedModel, IsRefusedByName) {
  expect_refused("/format", 2, "was written by a newer mbll (format 2, this is mbll");
  expect_refused("/format", 0, "format");
  expect_refused("/format", "one", "format");
  expect_refused("/inputs/names", Json::array({"x1"}), "inputs.mean: has 2 entries, expected 1");
  expect_refused("/inputs/scale/0", -1, "scale");
  expect_refused("/outputs/mean/1", "nan", "mean");
  expect_refused("/members", Json::array(), "members");
  expect_refused("/members/0/posterior/mean/rows", -3, "members[0].posterior.mean.rows");
  expect_refused("/members/0/posterior/mean/rows", 1e12, "members[0].posterior.mean");
  expect_refused("/members/0/posterior/mean/columns", 1e300, "members[0].posterior.mean");
  expect_refused("/members/0/posterior/mean/values", "many", "members[0].posterior.mean.values");
  expect_refused("/members/0/posterior/mean/values/2", nullptr, "members[0].posterior.mean.values");
  expect_refused("/members/0/posterior/column_covariance/size", 1e9,
                 "members[0].posterior.column_covariance.size");
  expect_refused("/members/0/posterior/column_covariance/size", -1,
                 "members[0].posterior.column_covariance.size");
  expect_refused("/members/0/posterior/column_covariance/factor/0", 0,
                 "members[0].posterior.column_covariance");
  expect_refused("/members/0/posterior/row_scale/triangle", "middle",
                 "members[0].posterior.row_scale.triangle");
  expect_refused("/members/0/posterior/nu", -4, "members[0].posterior: nu");
  expect_refused("/members/0/networks/0/hidden", Json::array({1e6, 1e6}),
                 "members[0].networks[0].parameters");
  expect_refused("/members/0/networks/0/hidden", Json::array({4e15, 4e15}),
                 "members[0].networks[0].parameters");
  expect_refused("/members/0/networks/0/hidden", Json::array(), "members[0].networks[0]");
  expect_refused("/members/0/networks/0/inputs", 0, "members[0].networks[0]");
  expect_refused("/members/0/networks/0/activation", "sigmoid", "members[0].networks[0].activation");
  expect_refused("/members/0/networks/0/parameters/5", "inf", "members[0].networks[0]");
  expect_refused("/members/0/noise/network", 7, "members[0].noise.network");
  expect_refused("/members/0/noise/scale", 0, "members[0].noise");
  expect_refused("/members/0/features/type", "magic", "members[0].features.type");
  expect_refused("/members/0/features", Json{{"type", "identity"}, {"dimension", 1e12}}, "members");
  expect_refused("/report/trace/log_evidence", Json::array(), "report.trace.log_evidence");
  expect_refused("/report/seed", -1, "report.seed");
}

TEST_F(ForgedModel, MustHaveEveryField) {
  for (const auto& entry : json_.items()) {
    if (entry.key() == "mbll" || entry.key() == "lags") continue;
    Json forged = json_;
    forged.erase(entry.key());
    EXPECT_NE(complaint(forged.dump()).find(entry.key()), std::string::npos) << entry.key();
  }
}

TEST_F(ForgedModel, MustNotNestWithoutEnd) {
  Json features = {{"type", "identity"}, {"dimension", 2}};
  for (int i = 0; i < 100; ++i) features = {{"type", "mirrored"}, {"inner", features}};
  expect_refused("/members/0/features", features, "nested too deeply");
  for (const char byte : {'\x81', '\x7f', '\x9f', '\xc1'}) {
    std::string bytes = "\xa1\x61x";
    bytes.append(1000000, byte);
    EXPECT_NE(complaint(bytes), "");
  }
  EXPECT_NE(complaint(std::string(1000000, '[')), "");
}

TEST(ModelFile, RefusesTruncatedBytes) {
  const Model model = fitted(FeatureKind::polynomial, TrainKind::two_phase);
  for (const ModelEncoding encoding : {ModelEncoding::json, ModelEncoding::cbor}) {
    const std::string bytes = model_to_bytes(model, encoding);
    for (std::size_t size = 0; size + 1 < bytes.size(); size += 1 + bytes.size() / 97)
      EXPECT_EQ(complaint(bytes.substr(0, size)).find("m.json: is not a model file or damaged"), 0U) << size;
  }
}

TEST(ModelFile, SurvivesFlippedBytes) {
  const Model model = fitted(FeatureKind::linear, TrainKind::two_phase);
  Rng rng = make_rng(4);
  for (const ModelEncoding encoding : {ModelEncoding::json, ModelEncoding::cbor}) {
    const std::string bytes = model_to_bytes(model, encoding);
    for (int i = 0; i < 400; ++i) {
      std::string damaged = bytes;
      damaged[rng() % damaged.size()] = static_cast<char>(rng());
      (void)complaint(damaged);  // accepted or refused, never a crash or another exception
    }
  }
}

class ModelOnDisk : public ::testing::Test {
 protected:
  test::Folder temporary_;
  std::filesystem::path folder_ = temporary_.path();
};

TEST_F(ModelOnDisk, IsJsonOrCborByExtensionAndRecognisedByContent) {
  const Model model = fitted(FeatureKind::mlp, TrainKind::two_phase);
  save_model(model, folder_ / "m.json");
  save_model(model, folder_ / "m.cbor");
  EXPECT_LT(std::filesystem::file_size(folder_ / "m.cbor"), std::filesystem::file_size(folder_ / "m.json"));
  std::filesystem::rename(folder_ / "m.cbor", folder_ / "other.json");
  expect_same_predictions(load_model(folder_ / "m.json"), model);
  expect_same_predictions(load_model(folder_ / "other.json"), model);
}

TEST_F(ModelOnDisk, IsWrittenWholeOrNotAtAll) {
  const Model model = fitted(FeatureKind::linear, TrainKind::two_phase);
  EXPECT_THROW(save_model(model, folder_ / "missing" / "m.json"), WriteError);
  EXPECT_THROW(save_model(model, folder_), WriteError);
  EXPECT_THROW(save_model(model, "/dev/full"), WriteError);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(ModelOnDisk, NamesAFileThatCannotBeRead) {
  try {
    (void)load_model(folder_ / "none.json");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("none.json: cannot read the model: No such file"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW((void)load_model(folder_), DataError);
}

/// Files of every version that was ever released stay readable and predict what they predicted. They were
/// written by tests/compat/make, which also says how the numbers beside them came about.
TEST(ModelFile, ReadsEveryVersionEverWritten) {
  const std::filesystem::path folder = std::filesystem::path(MBLL_TEST_DIR) / "compat";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("v") || name.ends_with(".expected.json")) continue;
    ++files;
    const Model model = load_model(entry.path());
    std::ifstream stream(folder / (entry.path().stem().string() + ".expected.json"));
    const Json expected = Json::parse(stream);
    const auto points = expected["inputs"].get<std::vector<std::vector<double>>>();
    Matrix X(model.inputs(), std::ssize(points));
    for (Index i = 0; i < X.cols(); ++i)
      for (Index j = 0; j < X.rows(); ++j) X(j, i) = points[i][j];
    const Vector given = model.needs_given_noise() ? Vector::Ones(X.cols()) : Vector();
    const auto predictive = model.predict(X, given);
    const Matrix deviation = predictive->total_variance().cwiseSqrt();
    for (Index i = 0; i < X.cols(); ++i)
      for (Index j = 0; j < model.outputs(); ++j) {
        // Not bit by bit: the BLAS of another processor rounds differently.
        const double mean = expected["mean"][i][j];
        const double sd = expected["std"][i][j];
        EXPECT_NEAR(predictive->mean()(j, i), mean, 1e-5 * sd) << name;
        EXPECT_NEAR(deviation(j, i), sd, 1e-5 * sd) << name;
      }
  }
  EXPECT_GE(files, 4);
}

}  // namespace
}  // namespace mbll
