#include "mbll/report/thinning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mbll/error.hpp"
#include "report/samples.hpp"

namespace mbll::report {
namespace {

std::string ordinal(Index k) {
  const bool teen = k % 100 >= 11 && k % 100 <= 13;
  const char* ending = "th";
  if (!teen && k % 10 == 1) ending = "st";
  if (!teen && k % 10 == 2) ending = "nd";
  if (!teen && k % 10 == 3) ending = "rd";
  return grouped(k) + ending;
}

}  // namespace

Thinning thin(Index samples, Index limit, const std::vector<Index>& flagged) {
  check::require(limit >= 2, "limit", fmt::format("is {}, expected at least 2", limit));
  for (const Index position : flagged)
    check::require(position >= 0 && position < samples, "flagged",
                   fmt::format("position {} does not exist among {} samples", position, samples));
  Thinning result;
  if (samples <= limit) {
    for (Index i = 0; i < samples; ++i) result.kept.push_back(i);
    return result;
  }
  const Index step = (samples + limit - 1) / limit;
  std::vector<char> keep(static_cast<std::size_t>(samples), 0);
  for (Index i = 0; i < samples; i += step) keep[static_cast<std::size_t>(i)] = 1;
  keep.back() = 1;
  const Index marked = std::min<Index>(static_cast<Index>(flagged.size()), limit / 2);
  for (Index i = 0; i < marked; ++i) keep[static_cast<std::size_t>(flagged[static_cast<std::size_t>(i)])] = 1;
  for (Index i = 0; i < samples; ++i)
    if (keep[static_cast<std::size_t>(i)]) result.kept.push_back(i);

  const auto all = static_cast<Index>(flagged.size());
  std::string extra;
  if (all > marked)
    extra = fmt::format(" and the {} most extreme of {} flagged ones", grouped(marked), grouped(all));
  else if (all > 0)
    extra = fmt::format(" and all {} flagged ones", grouped(all));
  result.note =
      fmt::format("Showing {} of {} samples: every {}{}.", grouped(static_cast<Index>(result.kept.size())),
                  grouped(samples), ordinal(step), extra);
  return result;
}

Index sample_limit(Index outputs) {
  return std::clamp<Index>(18000 / std::max<Index>(outputs, 1), 100, 4000);
}

}  // namespace mbll::report
