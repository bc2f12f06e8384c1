#include "model/file_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace mbll::file {
namespace {

constexpr double largest_count = 9007199254740992.0;  // 2⁵³

double to_number(const Json& json, const Field& field) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) {
    const auto& word = json.get_ref<const std::string&>();
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "-inf") return -std::numeric_limits<double>::infinity();
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  }
  field.fail(fmt::format("is of type {}, expected a number", json.type_name()));
}

/// n(n+1)/2 entries, column by column.
Json triangle(const Matrix& T, bool lower) {
  Json values = Json::array();
  for (Index j = 0; j < T.cols(); ++j)
    for (Index i = lower ? j : 0; i < (lower ? T.rows() : j + 1); ++i) values.push_back(number(T(i, j)));
  return values;
}

Matrix square_of(const Vector& values, Index n, bool lower) {
  Matrix T = Matrix::Zero(n, n);
  Index at = 0;
  for (Index j = 0; j < n; ++j)
    for (Index i = lower ? j : 0; i < (lower ? n : j + 1); ++i) T(i, j) = values(at++);
  return T;
}

}  // namespace

Json number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

Json numbers(const VectorView& values) {
  Json result = Json::array();
  for (const double value : values) result.push_back(number(value));
  return result;
}

Json matrix(const MatrixView& values) {
  Json entries = Json::array();
  for (Index j = 0; j < values.cols(); ++j)
    for (Index i = 0; i < values.rows(); ++i) entries.push_back(number(values(i, j)));
  return {{"rows", values.rows()}, {"columns", values.cols()}, {"values", std::move(entries)}};
}

Json covariance(const Covariance& value) {
  const bool lower = value.is_lower();
  return {{"triangle", lower ? "lower" : "upper"},
          {"size", value.size()},
          {"factor", triangle(value.factor(), lower)},
          {"inverse_factor", triangle(value.inverse_factor(), lower)}};
}

void Field::fail(const std::string& message) const {
  throw DataError(fmt::format("{}: {}{}{}", source_, path_, path_.empty() ? "" : ": ", message));
}

Field Field::operator[](const char* key) const {
  if (!json_->is_object()) fail(fmt::format("is of type {}, expected an object", json_->type_name()));
  const std::string path = path_.empty() ? key : path_ + "." + key;
  const auto found = json_->find(key);
  if (found == json_->end()) Field(*json_, source_, path).fail("is missing");
  return {*found, source_, path};
}

bool Field::has(const char* key) const {
  if (!json_->is_object()) return false;
  const auto found = json_->find(key);
  return found != json_->end() && !found->is_null();
}

const Json& Field::array() const {
  if (!json_->is_array()) fail(fmt::format("is of type {}, expected an array", json_->type_name()));
  return *json_;
}

std::vector<Field> Field::items() const {
  std::vector<Field> result;
  for (std::size_t i = 0; i < array().size(); ++i)
    result.push_back(Field((*json_)[i], source_, fmt::format("{}[{}]", path_, i)));
  return result;
}

double Field::number() const { return to_number(*json_, *this); }

Index Field::count() const {
  const double value = number();
  if (!(value >= 0 && value <= largest_count) || value != std::floor(value))
    fail(fmt::format("is {}, expected a whole number, 0 or more", json_->dump()));
  return static_cast<Index>(value);
}

std::uint64_t Field::seed() const {
  if (!json_->is_number_integer() ||
      (json_->is_number_integer() && !json_->is_number_unsigned() && json_->get<std::int64_t>() < 0))
    fail("is not a whole number, 0 or more");
  return json_->get<std::uint64_t>();
}

bool Field::flag() const {
  if (!json_->is_boolean()) fail(fmt::format("is of type {}, expected true or false", json_->type_name()));
  return json_->get<bool>();
}

std::string Field::text() const {
  if (!json_->is_string()) fail(fmt::format("is of type {}, expected text", json_->type_name()));
  return json_->get<std::string>();
}

Vector Field::numbers() const {
  Vector result(static_cast<Index>(array().size()));
  Index i = 0;
  for (const Json& entry : *json_) result(i++) = to_number(entry, *this);
  return result;
}

Vector Field::numbers(Index expected) const {
  if (static_cast<Index>(array().size()) != expected)
    fail(fmt::format("has {} entries, expected {}", json_->size(), expected));
  return numbers();
}

std::vector<std::string> Field::texts() const {
  std::vector<std::string> result;
  for (const Field& item : items()) result.push_back(item.text());
  return result;
}

std::vector<Index> Field::counts() const {
  std::vector<Index> result;
  for (const Field& item : items()) result.push_back(item.count());
  return result;
}

Matrix Field::matrix() const {
  const Index rows = (*this)["rows"].count();
  const Index columns = (*this)["columns"].count();
  const Field values = (*this)["values"];
  const std::size_t size = values.array().size();
  // In floating point, where forged sizes cannot overflow.
  if (static_cast<double>(rows) * static_cast<double>(columns) != static_cast<double>(size))
    fail(fmt::format("has {} values, expected {}×{}", size, rows, columns));
  return values.numbers().reshaped(rows, columns);
}

Covariance Field::covariance() const {
  const std::string word = (*this)["triangle"].text();
  if (word != "lower" && word != "upper")
    (*this)["triangle"].fail(fmt::format("is '{}', expected lower or upper", word));
  const bool lower = word == "lower";
  const Index n = (*this)["size"].count();
  const Field factor = (*this)["factor"];
  const Field inverse = (*this)["inverse_factor"];
  const auto side = static_cast<double>(n);
  const auto has = static_cast<double>(factor.array().size());
  if (n < 1 || 0.5 * side * (side + 1) != has)
    (*this)["size"].fail(fmt::format("is {}, which does not fit the {} values of the factor", n, has));
  const Vector values = factor.numbers();
  const Vector inverse_values = inverse.numbers(values.size());
  return checked([&] {
    return Covariance::from_parts(square_of(values, n, lower), square_of(inverse_values, n, lower), lower);
  });
}

}  // namespace mbll::file
