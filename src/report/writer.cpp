#include "mbll/report/writer.hpp"

#include <string_view>

#include "mbll/atomic_file.hpp"
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

void write_report(const std::string& path, const Report& report) { write_atomically(path, to_html(report)); }

}  // namespace mbll::report
