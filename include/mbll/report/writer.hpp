#pragma once

#include <string>

#include "mbll/report/figure.hpp"

namespace mbll::report {

/// The whole page: one HTML file with its script, its style and the data, that opens offline and asks for
/// nothing. Throws InvalidArgument like `to_json`.
[[nodiscard]] std::string to_html(const Report& report);

/// Writes the page so that `path` is either the whole new page or what it was before. Throws WriteError
/// naming the path if it cannot be written, and leaves nothing behind.
void write_report(const std::string& path, const Report& report);

}  // namespace mbll::report
