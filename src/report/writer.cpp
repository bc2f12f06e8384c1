#include "mbll/report/writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "mbll/error.hpp"
#include "report/page.hpp"

namespace mbll::report {
namespace {

/// Text that cannot end the element it stands in.
std::string escape_html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// JSON that cannot end the script element it stands in: '<' occurs only inside strings, where \u003c means
/// the same.
std::string escape_script(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw DataError(fmt::format("{}: cannot write: {}", path, std::strerror(error)));
}

/// A file beside its destination that disappears unless it is moved there.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& destination)
      : destination_(destination), name_(fmt::format("{}.{}.tmp", destination, ::getpid())) {
    descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(destination_, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!moved_) ::unlink(name_.c_str());
  }

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(destination_, errno);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void move_to_destination() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(destination_, errno);
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(destination_, errno);
    if (std::rename(name_.c_str(), destination_.c_str()) != 0) fail(destination_, errno);
    moved_ = true;
  }

 private:
  std::string destination_;
  std::string name_;
  int descriptor_ = -1;
  bool moved_ = false;
};

}  // namespace

std::string to_html(const Report& report) {
  static constexpr std::string_view title_marker = "@TITLE@";
  static constexpr std::string_view data_marker = "@DATA@";
  const std::string_view page = page_template();
  const std::size_t title = page.find(title_marker);
  const std::size_t data = page.find(data_marker);
  std::string html(page.substr(0, title));
  html += escape_html(report.title);
  html += page.substr(title + title_marker.size(), data - title - title_marker.size());
  html += escape_script(to_json(report));
  html += page.substr(data + data_marker.size());
  return html;
}

void write_report(const std::string& path, const Report& report) {
  const std::string html = to_html(report);
  TemporaryFile file(path);
  file.write(html);
  file.move_to_destination();
}

}  // namespace mbll::report
