#include "mbll/data/splits.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>

#include "bytes.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

/// Uniform on 0 … last, by masking and rejection.
std::uint64_t draw(std::uint64_t last, Rng& rng) {
  const std::uint64_t mask = last == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(last);
  for (;;) {
    const std::uint64_t value = rng() & mask;
    if (value <= last) return value;
  }
}

void check_fractions(Index samples, double validation, double test) {
  check::require(samples > 0, "samples", fmt::format("is {}, expected at least 1", samples));
  check::require(validation >= 0, "validation", fmt::format("is {}, expected a fraction ≥ 0", validation));
  check::require(test >= 0, "test", fmt::format("is {}, expected a fraction ≥ 0", test));
  check::require(validation + test < 1, "validation + test",
                 fmt::format("is {}, expected < 1", validation + test));
}

Index share(double fraction, Index samples) {
  return static_cast<Index>(std::llround(fraction * static_cast<double>(samples)));
}

/// The front of `order` for training, then validation, then test.
Split cut(const std::vector<Index>& order, double validation, double test) {
  const Index n = static_cast<Index>(order.size());
  const Index tests = share(test, n);
  const Index validations = share(validation, n);
  const Index trains = n - tests - validations;
  check::require(trains > 0, "samples",
                 fmt::format("{} samples leave none to train on after {} for validation and {} for the test",
                             n, validations, tests));
  const auto begin = order.begin();
  return {{begin, begin + trains},
          {begin + trains, begin + trains + validations},
          {begin + trains + validations, order.end()}};
}

std::vector<Index> in_order(Index count) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

}  // namespace

std::vector<Index> permutation(Index count, Rng& rng) {
  std::vector<Index> order = in_order(count);
  for (Index i = count - 1; i > 0; --i) std::swap(order[i], order[draw(static_cast<std::uint64_t>(i), rng)]);
  return order;
}

Split random_split(Index samples, double validation, double test, std::uint64_t seed) {
  check_fractions(samples, validation, test);
  Rng rng = make_rng(seed);
  return cut(permutation(samples, rng), validation, test);
}

Split time_split(Index samples, double validation, double test) {
  check_fractions(samples, validation, test);
  return cut(in_order(samples), validation, test);
}

std::vector<Split> k_folds(Index samples, Index folds, std::uint64_t seed) {
  check::require(folds >= 2 && folds <= samples, "folds",
                 fmt::format("is {}, expected 2…{}", folds, samples));
  Rng rng = make_rng(seed);
  const std::vector<Index> order = permutation(samples, rng);
  std::vector<Split> splits(folds);
  for (Index f = 0; f < folds; ++f) {
    const Index begin = f * samples / folds;
    const Index end = (f + 1) * samples / folds;
    splits[f].test.assign(order.begin() + begin, order.begin() + end);
    splits[f].train.assign(order.begin(), order.begin() + begin);
    splits[f].train.insert(splits[f].train.end(), order.begin() + end, order.end());
  }
  return splits;
}

Split split_by_test_samples(Index samples, const std::vector<Index>& test) {
  std::vector<bool> taken(samples);
  for (const Index i : test) {
    check::require(i >= 0 && i < samples, "test", fmt::format("{} is outside 0…{}", i, samples - 1));
    check::require(!taken[i], "test", fmt::format("{} appears twice", i));
    taken[i] = true;
  }
  Split split;
  split.test = test;
  for (Index i = 0; i < samples; ++i)
    if (!taken[i]) split.train.push_back(i);
  check::require(!split.train.empty(), "test", "no sample is left to train on");
  return split;
}

std::vector<Split> read_splits(const std::string& path, Index samples) {
  data::ByteSource file(path);
  const data::ByteBuffer bytes = file.read_all();
  std::string_view text(bytes.view().data(), bytes.size());
  std::vector<Split> splits;
  for (Index line = 1; !text.empty(); ++line) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (rest.empty()) continue;
    std::vector<Index> test;
    for (;;) {
      Index value = 0;
      const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
      if (code != std::errc() || (!rest.empty() && rest.front() != ','))
        throw DataError(
            fmt::format("{}:{}: entry {} is not a whole number", file.name(), line, test.size() + 1));
      test.push_back(value);
      if (rest.empty()) break;
      rest.remove_prefix(1);
    }
    try {
      splits.push_back(split_by_test_samples(samples, test));
    } catch (const InvalidArgument& error) {
      throw DataError(fmt::format("{}:{}: {}", file.name(), line, error.what()));
    }
  }
  if (splits.empty()) throw DataError(fmt::format("{}: has no splits", file.name()));
  return splits;
}

Split hold_out(Split split, double fraction, std::uint64_t seed) {
  const Index samples = static_cast<Index>(split.train.size());
  check_fractions(samples, fraction, 0);
  Rng rng = make_rng(seed);
  const Split inner = cut(permutation(samples, rng), fraction, 0);
  const std::vector<Index> before = std::move(split.train);
  split.train.clear();
  for (const Index i : inner.train) split.train.push_back(before[i]);
  for (const Index i : inner.validation) split.validation.push_back(before[i]);
  return split;
}

}  // namespace mbll
