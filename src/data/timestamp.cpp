#include "data/timestamp.hpp"

#include <charconv>
#include <chrono>

namespace mbll::data {
namespace {

/// Takes parts from the front of a text; the first that is not there makes everything fail.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] char next() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { failed_ = !take(c) || failed_; }
  /// A number of exactly `digits` digits, 0 … `most`.
  int number(std::size_t digits, int most) {
    int value = 0;
    if (rest_.size() < digits) {
      failed_ = true;
      return 0;
    }
    for (std::size_t i = 0; i < digits; ++i) {
      const int digit = rest_[i] - '0';
      failed_ = digit < 0 || digit > 9 || failed_;
      value = 10 * value + digit;
    }
    rest_.remove_prefix(digits);
    failed_ = value > most || failed_;
    return value;
  }
  /// ".25", or nothing.
  double fraction() {
    if (next() != '.') return 0;
    double value = 0;
    const auto [end, code] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, std::chars_format::fixed);
    failed_ = code != std::errc() || failed_;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

/// Seconds of "Z", "+05:30", "+0530", "-08", or of nothing.
int offset(Reader& reader) {
  if (reader.take('Z')) return 0;
  const int sign = reader.next() == '-' ? -1 : 1;
  if (!reader.take('+') && !reader.take('-')) return 0;
  int seconds = 3600 * reader.number(2, 23);
  reader.take(':');
  if (!reader.at_end()) seconds += 60 * reader.number(2, 59);
  return sign * seconds;
}

}  // namespace

std::optional<double> parse_timestamp(std::string_view text) {
  using namespace std::chrono;
  Reader reader(text);
  const int year_number = reader.number(4, 9999);
  const char separator = reader.next() == '/' ? '/' : '-';
  reader.expect(separator);
  const int month_number = reader.number(2, 12);
  reader.expect(separator);
  const int day_number = reader.number(2, 31);
  if (reader.failed()) return {};
  const year_month_day date{year{year_number}, month{static_cast<unsigned>(month_number)},
                            day{static_cast<unsigned>(day_number)}};
  if (!date.ok()) return {};
  double result = 86400.0 * static_cast<double>(sys_days{date}.time_since_epoch().count());
  if (reader.at_end()) return result;

  if (!reader.take(' ')) reader.expect('T');
  result += 3600 * reader.number(2, 23);
  reader.expect(':');
  result += 60 * reader.number(2, 59);
  if (reader.take(':')) {
    result += reader.number(2, 60);
    result += reader.fraction();
  }
  result -= offset(reader);
  if (reader.failed() || !reader.at_end()) return {};
  return result;
}

}  // namespace mbll::data
