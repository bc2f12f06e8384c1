#include "csv_parser.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include "mbll/error.hpp"
#include "timestamp.hpp"

namespace mbll::data {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// One cell and where the text goes on.
struct Cell {
  std::string_view text;
  const char* next = nullptr;  // behind the delimiter or the line end
  bool ends_line = false;
  Index line_ends_inside = 0;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

/// Text of a file as an error message may show it.
std::string shown(std::string_view text) {
  constexpr std::size_t kLimit = 40;
  std::string result(text.substr(0, kLimit));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  if (text.size() > kLimit) {
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xC0) == 0x80) result.pop_back();
    if (!result.empty() && static_cast<unsigned char>(result.back()) >= 0xC0) result.pop_back();
    result += "…";
  }
  return result;
}

/// Everything that is not simply a number followed by the delimiter. `scratch` holds the text of quoted
/// cells.
Cell read_cell(const char* p, const char* end, char delimiter, std::string& scratch,
               const std::string& source, Index line) {
  Cell cell;
  const char* start = p;
  while (start != end && *start == ' ') ++start;
  if (start != end && *start == '"') {
    scratch.clear();
    p = start + 1;
    for (;; ++p) {
      if (p == end) throw DataError(fmt::format("{}:{}: a quoted cell does not end", source, line));
      if (*p == '"') {
        if (p + 1 == end || p[1] != '"') break;
        ++p;
      }
      if (*p == '\n') ++cell.line_ends_inside;
      scratch.push_back(*p);
    }
    for (++p; p != end && (*p == ' ' || *p == '\r'); ++p) {
    }
    if (p != end && *p != delimiter && *p != '\n')
      throw DataError(
          fmt::format("{}:{}: text after the closing quote of '{}'", source, line, shown(scratch)));
    cell.text = trimmed(scratch);
  } else {
    start = p;
    while (p != end && *p != delimiter && *p != '\n') ++p;
    cell.text = trimmed({start, static_cast<std::size_t>(p - start)});
  }
  cell.ends_line = p == end || *p == '\n';
  cell.next = p == end ? p : p + 1;
  return cell;
}

bool is_missing(std::string_view cell) {
  return cell.empty() || (cell.size() == 2 && (cell[0] | 0x20) == 'n' && (cell[1] | 0x20) == 'a');
}

enum class Kind { finite, not_finite, text };

Kind parse_number(std::string_view cell, double& value) {
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  const auto [last, code] = fast_float::from_chars(cell.data(), cell.data() + cell.size(), value);
  // out of range: the value is then 0 or infinite, exactly rounded all the same
  if ((code != std::errc() && code != std::errc::result_out_of_range) || last != cell.data() + cell.size())
    return Kind::text;
  return std::isfinite(value) ? Kind::finite : Kind::not_finite;
}

std::vector<std::string> split_line(const std::string& source, std::string_view text, char delimiter,
                                    Index line, std::size_t& length, Index& line_ends) {
  std::vector<std::string> cells;
  std::string scratch;
  const char* p = text.data();
  const char* end = p + text.size();
  line_ends = 1;
  for (;;) {
    const Cell cell = read_cell(p, end, delimiter, scratch, source, line);
    cells.emplace_back(cell.text);
    line_ends += cell.line_ends_inside;
    p = cell.next;
    if (cell.ends_line) break;
  }
  length = static_cast<std::size_t>(p - text.data());
  return cells;
}

bool all_numbers(const std::vector<std::string>& cells) {
  double value = 0;
  bool any = false;
  for (const std::string& cell : cells) {
    if (is_missing(cell)) continue;
    if (parse_number(cell, value) != Kind::finite) return false;
    any = true;
  }
  return any;
}

}  // namespace

char detect_delimiter(std::string_view text) {
  std::size_t commas = 0, tabs = 0, semicolons = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') break;
    commas += c == ',' ? 1 : 0;
    tabs += c == '\t' ? 1 : 0;
    semicolons += c == ';' ? 1 : 0;
  }
  if (commas >= tabs && commas >= semicolons) return ',';
  return tabs >= semicolons ? '\t' : ';';
}

std::size_t skip_to_content(std::string_view text, Index& line) {
  std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      begin = i + 1;
    } else if (text[i] != ' ' && text[i] != '\r') {
      return begin;
    }
  }
  return text.size();
}

CsvLayout read_layout(const std::string& source, std::string_view text, const ReadOptions& options) {
  CsvLayout layout;
  layout.source = source;
  const std::size_t begin = skip_to_content(text, layout.first_line);
  if (begin == text.size()) throw DataError(fmt::format("{}: is empty", source));
  layout.delimiter = options.delimiter != '\0' ? options.delimiter : detect_delimiter(text.substr(begin));
  std::size_t length = 0;
  Index line_ends = 0;
  std::vector<std::string> cells =
      split_line(source, text.substr(begin), layout.delimiter, layout.first_line, length, line_ends);
  const bool header =
      options.header == Header::present || (options.header == Header::automatic && !all_numbers(cells));
  layout.body = begin;
  if (header) {
    layout.body += length;
    layout.names = std::move(cells);
  } else {
    layout.names.resize(cells.size());
  }
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t c = 0; c < layout.names.size(); ++c) {
    if (layout.names[c].empty()) layout.names[c] = fmt::format("x{}", c + 1);
    const auto [other, is_new] = seen.try_emplace(layout.names[c], c);
    if (!is_new)
      throw DataError(fmt::format("{}:{}: columns {} and {} have the same name '{}'", source,
                                  layout.first_line, other->second + 1, c + 1, shown(layout.names[c])));
  }
  if (header) layout.first_line += line_ends;
  layout.time_column = find_column(layout.names, options.time_column).value_or(-1);
  return layout;
}

Index CsvParser::parse(std::string_view& text, Index max_samples, double* out) {
  const char* p = text.data();
  const char* end = p + text.size();
  Index samples = 0;
  while (samples < max_samples && p != end) {
    const char* start = p;
    while (start != end && (*start == ' ' || *start == '\r')) ++start;
    if (start == end || *start == '\n') {  // a blank line
      p = start == end ? end : start + 1;
      ++line_;
      continue;
    }
    p = parse_line(p, end, out);
    out += layout_.columns();
    ++samples;
  }
  text.remove_prefix(static_cast<std::size_t>(p - text.data()));
  return samples;
}

const char* CsvParser::parse_line(const char* p, const char* end, double* out) {
  const char* begin = p;
  const Index last = layout_.columns() - 1;
  Index line_ends = 1;
  for (Index c = 0;; ++c) {
    double value = 0;
    const auto [number_end, code] = fast_float::from_chars(p, end, value);
    if (code == std::errc() && number_end != end && std::abs(value) <= std::numeric_limits<double>::max()) {
      if (*number_end == layout_.delimiter && c < last) {
        out[c] = value;
        p = number_end + 1;
        continue;
      }
      const char* line_end = number_end + (*number_end == '\r' && number_end + 1 != end ? 1 : 0);
      if (*line_end == '\n' && c == last) {
        out[c] = value;
        line_ += line_ends;
        return line_end + 1;
      }
    }
    const Cell cell = read_cell(p, end, layout_.delimiter, scratch_, layout_.source, line_);
    if (cell.ends_line != (c == last)) {
      std::size_t length = 0;
      const std::string_view line(begin, static_cast<std::size_t>(end - begin));
      const auto cells = split_line(layout_.source, line, layout_.delimiter, line_, length, line_ends);
      throw DataError(fmt::format("{}:{}: {} field{}, expected {}", layout_.source, line_, cells.size(),
                                  cells.size() == 1 ? "" : "s", last + 1));
    }
    out[c] = interpret(cell.text, c);
    line_ends += cell.line_ends_inside;
    p = cell.next;
    if (cell.ends_line) break;
  }
  line_ += line_ends;
  return p;
}

double CsvParser::interpret(std::string_view cell, Index column) {
  ColumnNotes& note = notes_[column];
  if (is_missing(cell)) {
    if (note.missing++ == 0) note.first_missing_line = line_;
    return kMissing;
  }
  double value = 0;
  const Kind kind = parse_number(cell, value);
  if (kind == Kind::finite) return value;
  if (column == layout_.time_column)
    if (const auto time = parse_timestamp(cell)) return *time;
  if (note.numeric()) {
    note.bad_text = shown(cell);
    note.bad_line = line_;
    note.bad_is_number = kind == Kind::not_finite;
  }
  return kMissing;
}

std::vector<ColumnNotes> CsvParser::take_notes() {
  return std::exchange(notes_, std::vector<ColumnNotes>(layout_.names.size()));
}

std::size_t LineEndFinder::feed(std::string_view piece) {
  if (piece.empty()) return 0;
  if (state_ != State::quoted && std::memchr(piece.data(), '"', piece.size()) == nullptr) {
    const std::size_t tail = piece.find_last_not_of(' ');
    if (tail != std::string_view::npos)
      state_ = piece[tail] == '\n' || piece[tail] == delimiter_ ? State::field_start : State::plain;
    const std::size_t last = piece.rfind('\n');
    return last == std::string_view::npos ? 0 : last + 1;
  }
  std::size_t complete = 0;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const char c = piece[i];
    if (state_ == State::quoted) {
      if (c == '"') state_ = State::after_quote;
    } else if (c == '\n') {
      state_ = State::field_start;
      complete = i + 1;
    } else if (c == delimiter_) {
      state_ = State::field_start;
    } else if (c == '"' && state_ != State::plain) {
      state_ = State::quoted;
    } else if (c != ' ' || state_ == State::after_quote) {
      state_ = State::plain;
    }
  }
  return complete;
}

}  // namespace mbll::data
