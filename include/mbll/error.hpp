#pragma once

#include <stdexcept>
#include <string>

#include "mbll/core.hpp"

namespace mbll {

/// The caller's mistake: names the argument, what was found and what was expected.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A mistake in a data or model file: names file, line and column where they are known.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that cannot be written: disk full, no such folder, not allowed. Names the file.
class WriteError : public DataError {
 public:
  using DataError::DataError;
};

/// Checks of arguments. Each throws InvalidArgument with a message that starts with `name`.
namespace check {

void shape(const char* name, const MatrixView& value, Index rows, Index columns);
void size(const char* name, const VectorView& value, Index expected);
void finite(const char* name, const MatrixView& value);
void positive(const char* name, const VectorView& value);  ///< finite and > 0
void positive(const char* name, double value);
/// General condition: throws "name: message".
void require(bool condition, const char* name, const std::string& message);

}  // namespace check
}  // namespace mbll
