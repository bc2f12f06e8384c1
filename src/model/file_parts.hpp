#pragma once

#include <vector>

#include "mbll/model/model.hpp"
#include "model/file_fields.hpp"

/// The parts of a model file, each as a pair: value → JSON, field → value.
namespace mbll::file {

/// The networks of one member. Features and noise may share one; it is stored once, and shared again when
/// read.
class NetworkList {
 public:
  NetworkList() = default;
  explicit NetworkList(const Field& list);  ///< "networks" of a member

  /// Number of the network in the list; added if it is new.
  [[nodiscard]] Index number_of(const SharedNetwork& network);
  [[nodiscard]] SharedNetwork at(const Field& number) const;
  [[nodiscard]] Json to_json() const;

 private:
  std::vector<SharedNetwork> networks_;
};

/// Throws InvalidArgument for a map that is none of the library's.
[[nodiscard]] Json features_to_json(const FeatureMap& features, NetworkList& networks);
[[nodiscard]] FeatureMap features_from(const Field& field, const NetworkList& networks, int depth = 0);

[[nodiscard]] Json member_to_json(const Member& member);
[[nodiscard]] Member member_from(const Field& field);

[[nodiscard]] Json report_to_json(const FitReport& report);
[[nodiscard]] FitReport report_from(const Field& field);

}  // namespace mbll::file
