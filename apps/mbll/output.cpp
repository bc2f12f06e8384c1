#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "mbll/error.hpp"

namespace mbll::app {

Output::Output(const std::string& path) {
  if (!path.empty() && path != "-") file_ = std::make_unique<AtomicFile>(path);
}

void Output::write(std::string_view text) {
  constexpr std::size_t enough = 1 << 16;
  if (buffer_.size() + text.size() > enough) flush();
  if (text.size() > enough)
    write_now(text);
  else
    buffer_ += text;
}

void Output::flush() {
  write_now(buffer_);
  buffer_.clear();
}

void Output::finish() {
  flush();
  if (file_) file_->commit();
}

void Output::write_now(std::string_view text) {
  if (file_) {
    file_->write(text);
    return;
  }
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw ClosedPipe();
    if (written < 0) throw WriteError(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void print(std::string_view text) {
  Output output;
  output.write(text);
  output.finish();
}

void print_json(const Json& json) { print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"); }

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string csv_cell(const std::string& name) {
  if (name.find_first_of(",\"\n\r\t;") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace mbll::app
