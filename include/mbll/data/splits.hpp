#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mbll/core.hpp"

namespace mbll {

/// Which samples are for what. Indices are 0-based; together they are 0 … N−1, each once.
struct Split {
  std::vector<Index> train;
  std::vector<Index> validation;
  std::vector<Index> test;
};

/// Random by seed: round(test·N) samples for the test, round(validation·N) for validation, the rest for
/// training. The order within each part is random too. The same on every machine. Throws InvalidArgument
/// unless the fractions are ≥ 0 and leave at least one sample to train on.
[[nodiscard]] Split random_split(Index samples, double validation, double test, std::uint64_t seed);

/// In the order of the samples: first training, then validation, then test. Throws as above.
[[nodiscard]] Split time_split(Index samples, double validation, double test);

/// `folds` random parts whose sizes differ by at most one; each is the test part of one split. 2 ≤ folds ≤
/// samples.
[[nodiscard]] std::vector<Split> k_folds(Index samples, Index folds, std::uint64_t seed);

/// The named samples for the test, the others in their order for training. Throws InvalidArgument for an
/// index outside, one that appears twice, or if nothing is left to train on.
[[nodiscard]] Split split_by_test_samples(Index samples, const std::vector<Index>& test);

/// One split per line of a file of comma-separated 0-based numbers of the test samples. Throws DataError with
/// file and line.
[[nodiscard]] std::vector<Split> read_splits(const std::string& path, Index samples);

/// Moves round(fraction · |train|) random samples of the training part to the validation part.
[[nodiscard]] Split hold_out(Split split, double fraction, std::uint64_t seed);

/// A random order of 0 … count−1: Fisher–Yates with unbiased draws that, unlike std::shuffle, are the same
/// everywhere.
[[nodiscard]] std::vector<Index> permutation(Index count, Rng& rng);

}  // namespace mbll
