#pragma once

#include <string>
#include <vector>

#include "mbll/data/splits.hpp"
#include "mbll/data/table.hpp"

namespace mbll {

/// A public data set that the paper's experiments use. Nothing is downloaded: files are looked for, and
/// recognised by SHA-256.
struct PublicSet {
  std::string name;    ///< "yacht", "beijing-tiantan"
  std::string title;   ///< what its publisher calls it
  std::string source;  ///< where to get it: repository, number, DOI
  std::string file;    ///< below the data folder: "uci/yacht.csv"
  std::string sha256;
  std::vector<std::string> inputs;  ///< column names
  std::vector<std::string> targets;
  std::string splits_file;  ///< fixed splits into training and test; empty if it has none
  std::string splits_sha256;
};

/// All of them: boston, concrete, energy, power, wine, yacht, and beijing-… for eight stations.
[[nodiscard]] const std::vector<PublicSet>& public_sets();
/// Throws InvalidArgument with the nearest name.
[[nodiscard]] const PublicSet& public_set(const std::string& name);

/// Path of the set's file in `folder` or, if it is not there or `folder` is empty, in the folder that the
/// environment variable MBLL_DATA names. Throws DataError that says where to get the file, or that it has
/// other content than expected.
[[nodiscard]] std::string find_public_file(const PublicSet& set, const std::string& folder = "");
/// The set as a table. Throws as above.
[[nodiscard]] Table load_public(const PublicSet& set, const std::string& folder = "");
/// Its fixed splits for `samples` samples. Throws as above, and InvalidArgument if it has none.
[[nodiscard]] std::vector<Split> load_public_splits(const PublicSet& set, Index samples,
                                                    const std::string& folder = "");

}  // namespace mbll
