#include <fmt/format.h>

#include <array>
#include <vector>

#include "model/file_fields.hpp"

namespace mbll::file {
namespace {

/// Deeper than any model file, far from exhausting the stack.
constexpr std::size_t deepest_text = 64;

/// Whether JSON text opens more brackets at once than a model file ever does: building and taking down such a
/// tree takes minutes for a megabyte.
bool nested_too_deeply(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_text) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

/// Walks over CBOR (RFC 8949) before the real parser sees it. That one calls itself for every level of
/// nesting and for parts of strings, so a forged file could exhaust the stack; here nesting is bounded, and
/// what model files never contain (tags, byte strings, lengths left open) is refused.
class CborScan {
 public:
  explicit CborScan(std::string_view bytes) : bytes_(bytes) {}

  /// What is wrong, or an empty text.
  std::string run() {
    std::vector<std::uint64_t> open = {1};  // how many items are still to come at each level
    while (!open.empty()) {
      if (open.back() == 0) {
        open.pop_back();
        continue;
      }
      --open.back();
      if (at_ == bytes_.size()) return "ends too early";
      const auto head = static_cast<unsigned char>(bytes_[at_++]);
      const unsigned major = head >> 5U;
      const unsigned info = head & 31U;
      std::uint64_t value = info;
      if (info >= 24) {
        if (info > 27) return fmt::format("holds an unexpected byte {:#04x} at {}", head, at_ - 1);
        const std::size_t width = std::size_t{1} << (info - 24);
        if (bytes_.size() - at_ < width) return "ends too early";
        value = 0;
        for (std::size_t i = 0; i < width; ++i)
          value = value << 8U | static_cast<unsigned char>(bytes_[at_ + i]);
        at_ += width;
      }
      const std::size_t left = bytes_.size() - at_;
      switch (major) {
        case 0:  // whole numbers
        case 1:
        case 7:  // true, false, null, floating point
          break;
        case 3:  // text
          if (value > left) return "ends too early";
          at_ += value;
          break;
        case 4:  // array
        case 5:  // map
          if (value > left) return "ends too early";
          if (open.size() >= deepest_text) return "is nested too deeply";
          open.push_back(major == 5 ? 2 * value : value);
          break;
        default:
          return fmt::format("holds an unexpected byte {:#04x} at {}", head, at_ - 1);
      }
    }
    return at_ == bytes_.size() ? "" : "goes on behind its end";
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

Json parse(std::string_view bytes, const std::string& source) {
  const auto refuse = [&](const std::string& reason) -> DataError {
    return DataError(fmt::format("{}: is not a model file or damaged: {}", source, reason));
  };
  if (bytes.empty()) throw refuse("it is empty");
  const auto first = static_cast<unsigned char>(bytes.front());
  const bool cbor = first >> 5U == 5;  // a map; no JSON text starts like this
  try {
    if (!cbor && nested_too_deeply(bytes)) throw refuse("it is nested too deeply");
    if (!cbor) return Json::parse(bytes);
    if (const std::string reason = CborScan(bytes).run(); !reason.empty()) throw refuse("it " + reason);
    return Json::from_cbor(bytes);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 8: syntax error …"
    const std::string text = error.what();
    const std::size_t bracket = text.find("] ");
    throw refuse(bracket == std::string::npos ? text : text.substr(bracket + 2));
  }
}

}  // namespace mbll::file
