#include "mbll/error.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mbll::check {

void require(bool condition, const char* name, const std::string& message) {
  if (!condition) throw InvalidArgument(fmt::format("{}: {}", name, message));
}

void shape(const char* name, const MatrixView& value, Index rows, Index columns) {
  if (value.rows() == rows && value.cols() == columns) return;
  throw InvalidArgument(
      fmt::format("{}: shape is {}×{}, expected {}×{}", name, value.rows(), value.cols(), rows, columns));
}

void size(const char* name, const VectorView& value, Index expected) {
  if (value.size() == expected) return;
  throw InvalidArgument(fmt::format("{}: has {} entries, expected {}", name, value.size(), expected));
}

void finite(const char* name, const MatrixView& value) {
  if (value.allFinite()) return;
  for (Index j = 0; j < value.cols(); ++j)
    for (Index i = 0; i < value.rows(); ++i)
      if (!std::isfinite(value(i, j)))
        throw InvalidArgument(
            fmt::format("{}: entry ({}, {}) is {}, expected finite numbers", name, i, j, value(i, j)));
}

void positive(const char* name, const VectorView& value) {
  for (Index i = 0; i < value.size(); ++i)
    if (!(value(i) > 0) || !std::isfinite(value(i)))
      throw InvalidArgument(
          fmt::format("{}: entry {} is {}, expected a finite number > 0", name, i, value(i)));
}

void positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw InvalidArgument(fmt::format("{}: is {}, expected a finite number > 0", name, value));
}

}  // namespace mbll::check
