#include "mbll/experiments/degenerate_em.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mbll/model/fit.hpp"
#include "mbll/report/writer.hpp"

namespace mbll::experiments {
namespace {

using Json = nlohmann::json;

TEST(DegenerateEm, FollowsTheClosedFormAndTheHyperpriorDoesNotDegenerate) {
  ExperimentOptions options;
  options.seed = 3;
  const Json results = Json::parse(run_degenerate_em(options).results);
  for (const char* name : {"relative_error_of_K", "relative_error_of_M"})
    for (const double error : results["closed_form"][name]) EXPECT_LT(error, 1e-10) << name;
  const auto joint = results["unregularised"]["trace_K"].get<std::vector<double>>();
  const auto hyper = results["hyperprior"]["trace_K"].get<std::vector<double>>();
  ASSERT_EQ(joint.size(), 51U);
  EXPECT_LT(joint.back(), 0.05 * joint[1]);
  EXPECT_GT(hyper.back(), 10 * joint.back());
  const auto evidence = results["unregularised"]["log_evidence"].get<std::vector<double>>();
  EXPECT_TRUE(std::is_sorted(evidence.begin(), evidence.end()));
}

TEST(DegenerateEm, SameSeedSameNumbersOtherSeedOthers) {
  ExperimentOptions options;
  options.seed = 5;
  const ExperimentResult first = run_degenerate_em(options);
  EXPECT_EQ(first.results, run_degenerate_em(options).results);
  options.seed = 6;
  EXPECT_NE(first.results, run_degenerate_em(options).results);
}

TEST(DegenerateEm, HasAPageAndATable) {
  const ExperimentResult result = run_degenerate_em({});
  EXPECT_NO_THROW((void)report::to_html(result.report));
  EXPECT_NE(result.table.find("tr K"), std::string::npos);
}

TEST(DegenerateEm, StopsWhenAsked) {
  ExperimentOptions options;
  options.progress = [](double, const std::string&) { return false; };
  EXPECT_THROW((void)run_degenerate_em(options), Cancelled);
}

}  // namespace
}  // namespace mbll::experiments
