#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "mbll/atomic_file.hpp"

namespace mbll::app {

/// Insertion order is what a reader sees.
using Json = nlohmann::ordered_json;

/// The reader of our standard output has gone (| head): not an error.
class ClosedPipe : public std::runtime_error {
 public:
  ClosedPipe() : std::runtime_error("closed pipe") {}
};

/// Where results go: standard output, or a file that appears only when it is whole.
class Output {
 public:
  /// Standard output for an empty path and for "-". Throws WriteError, here and below.
  explicit Output(const std::string& path = "");

  void write(std::string_view text);  ///< buffered
  void flush();
  /// Writes what is left and lets the file appear.
  void finish();

 private:
  void write_now(std::string_view text);

  std::unique_ptr<AtomicFile> file_;
  std::string buffer_;
};

/// Text as the whole of a command's result.
void print(std::string_view text);
void print_json(const Json& json);

/// What is not finite has no JSON number: null.
[[nodiscard]] Json json_number(double value);

/// A name as a CSV cell: quoted if it has to be.
[[nodiscard]] std::string csv_cell(const std::string& name);

}  // namespace mbll::app
