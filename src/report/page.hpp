#pragma once

#include <string>

namespace mbll::report {

/// The page without data, as the build bundled it from web/. Holds the markers @TITLE@ and @DATA@ once each.
[[nodiscard]] const std::string& page_template();

}  // namespace mbll::report
