#pragma once

#include <optional>
#include <string_view>

namespace mbll::data {

/// Seconds since 1970-01-01 UTC of "YYYY-MM-DD", "YYYY-MM-DD hh:mm" or "YYYY-MM-DD hh:mm:ss.fff", with a
/// blank or a T between date and time ("/" instead of "-" is fine), and Z or an offset ±hh:mm behind a time.
/// Without one the time counts as UTC. Nothing for any other text and for dates that do not exist.
[[nodiscard]] std::optional<double> parse_timestamp(std::string_view text);

}  // namespace mbll::data
