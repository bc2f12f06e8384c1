#include "mbll/experiments/interpolation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mbll/report/writer.hpp"

namespace mbll::experiments {
namespace {

using Json = nlohmann::json;

TEST(InterpolationBasis, FindsNoiseAndTheBestKOnTheGrid) {
  const ExperimentResult result = run_interpolation_basis({});
  const Json results = Json::parse(result.results);
  EXPECT_NEAR(results["em"]["sigma"].get<double>(), 0.2, 0.02);
  EXPECT_EQ(results["em"]["end"], "converged");

  // EM stops where the evidence over a grid of k is largest, up to the grid's spacing.
  const auto k = results["evidence_over_k"]["k"].get<std::vector<double>>();
  const auto evidence = results["evidence_over_k"]["log_evidence"].get<std::vector<double>>();
  const auto best = std::max_element(evidence.begin(), evidence.end()) - evidence.begin();
  EXPECT_NEAR(results["em"]["k"].get<double>() / k[static_cast<std::size_t>(best)], 1, 0.2);

  // ln |Ω| rises and the trace term falls with k.
  const auto determinant = results["evidence_over_k"]["log_determinant"].get<std::vector<double>>();
  const auto trace = results["evidence_over_k"]["trace"].get<std::vector<double>>();
  EXPECT_TRUE(std::is_sorted(determinant.begin(), determinant.end()));
  EXPECT_TRUE(std::is_sorted(trace.rbegin(), trace.rend()));
  EXPECT_NO_THROW((void)report::to_html(result.report));
}

TEST(InterpolationBasis, SplitsTheEpistemicVariance) {
  const Json split = Json::parse(run_interpolation_basis({}).results)["epistemic_split"];
  for (std::size_t i = 0; i < split["prior"].size(); ++i)
    EXPECT_NEAR(split["prior"][i].get<double>() - split["reduction"][i].get<double>(),
                split["posterior"][i].get<double>(), 1e-9);
}

}  // namespace
}  // namespace mbll::experiments
