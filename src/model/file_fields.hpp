#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mbll/bayes/covariance.hpp"
#include "mbll/core.hpp"
#include "mbll/error.hpp"

/// Values of a model file: writing them, and reading them back with checks that name the field.
namespace mbll::file {

/// Keeps the order of fields, so that "format" comes first.
using Json = nlohmann::ordered_json;

[[nodiscard]] Json number(double value);  ///< what is not finite becomes "inf", "-inf" or "nan"
[[nodiscard]] Json numbers(const VectorView& values);
[[nodiscard]] Json matrix(const MatrixView& values);     ///< rows, columns, values (column by column)
[[nodiscard]] Json covariance(const Covariance& value);  ///< both triangles, so that no bit is lost

/// A place in a file that is being read. Every accessor throws DataError "file: field: …".
class Field {
 public:
  Field(const Json& json, std::string source) : json_(&json), source_(std::move(source)) {}

  [[nodiscard]] Field operator[](const char* key) const;  ///< throws if it is not there
  [[nodiscard]] bool has(const char* key) const;          ///< there and not null
  [[nodiscard]] std::vector<Field> items() const;

  [[nodiscard]] double number() const;
  [[nodiscard]] Index count() const;  ///< a whole number, 0 … 2⁵³
  [[nodiscard]] std::uint64_t seed() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Vector numbers() const;
  [[nodiscard]] Vector numbers(Index expected) const;
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] std::vector<Index> counts() const;
  [[nodiscard]] Matrix matrix() const;
  [[nodiscard]] Covariance covariance() const;

  [[noreturn]] void fail(const std::string& message) const;
  /// Runs f and turns what the library says of its arguments into an error of this field.
  template <class F>
  auto checked(F f) const {
    try {
      return f();
    } catch (const InvalidArgument& error) {
      fail(error.what());
    }
  }

 private:
  Field(const Json& json, std::string source, std::string path)
      : json_(&json), source_(std::move(source)), path_(std::move(path)) {}
  [[nodiscard]] const Json& array() const;

  const Json* json_;
  std::string source_;
  std::string path_;
};

/// Parses either encoding into a tree. Throws DataError naming the source.
[[nodiscard]] Json parse(std::string_view bytes, const std::string& source);

}  // namespace mbll::file
