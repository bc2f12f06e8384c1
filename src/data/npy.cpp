#include "npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "mbll/error.hpp"
#include "zip.hpp"

namespace mbll::data {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY reading assumes a little-endian machine");

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void fail(const std::string& source, const std::string& message) {
  throw DataError(source + ": " + message);
}

struct NpyHeader {
  std::string type;  // as in the file: "<f8"
  bool fortran_order = false;
  Index samples = 0;
  Index columns = 1;
  bool one_dimensional = false;
  std::size_t data = 0;  // where the numbers begin
};

template <class T>
T load(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

/// The text behind "'key':" in the header's dictionary.
std::string_view value_of(const std::string& source, std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) fail(source, fmt::format("the NPY header has no '{}'", key));
  dictionary.remove_prefix(at + key.size() + 3);
  dictionary.remove_prefix(std::min(dictionary.find_first_not_of(' '), dictionary.size()));
  return dictionary;
}

void read_shape(const std::string& source, std::string_view text, NpyHeader& header) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos)
    fail(source, "the NPY header's shape is no tuple");
  text = text.substr(1, close - 1);
  std::vector<Index> shape;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) break;
    Index length = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (code != std::errc() || length < 0) fail(source, "the NPY header's shape is not of whole numbers");
    shape.push_back(length);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (!text.empty() && text.front() != ',') fail(source, "the NPY header's shape is not of whole numbers");
    if (!text.empty()) text.remove_prefix(1);
  }
  if (shape.empty() || shape.size() > 2)
    fail(source,
         fmt::format("the array has {} dimensions, expected (samples,) or (samples, columns)", shape.size()));
  header.samples = shape[0];
  header.one_dimensional = shape.size() == 1;
  header.columns = header.one_dimensional ? 1 : shape[1];
  if (header.samples == 0 || header.columns == 0)
    fail(source, fmt::format("the array is empty ({} samples, {} columns)", header.samples, header.columns));
}

NpyHeader read_header(const std::string& source, std::span<const char> bytes) {
  if (!is_npy(bytes)) fail(source, "is not an NPY array");
  if (bytes.size() < 10) fail(source, "the NPY header ends early");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    fail(source, fmt::format("NPY version {} is not known (1 to 3 are)", version));
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) fail(source, "the NPY header ends early");
  const std::size_t length = version == 1 ? load<std::uint16_t>(&bytes[8]) : load<std::uint32_t>(&bytes[8]);
  if (length > bytes.size() - start) fail(source, "the NPY header ends early");
  const std::string_view dictionary(bytes.data() + start, length);

  NpyHeader header;
  header.data = start + length;
  std::string_view type = value_of(source, dictionary, "descr");
  const std::size_t close = type.starts_with('\'') ? type.find('\'', 1) : std::string_view::npos;
  if (close == std::string_view::npos)
    fail(source, "structured arrays are not supported: save the columns as one array");
  header.type = type.substr(1, close - 1);
  const std::string_view order = value_of(source, dictionary, "fortran_order");
  if (!order.starts_with("True") && !order.starts_with("False"))
    fail(source, "the NPY header's order is not known");
  header.fortran_order = order.starts_with("True");
  read_shape(source, value_of(source, dictionary, "shape"), header);
  return header;
}

/// Puts the numbers to rows first … first+C−1 of `out` (… × N).
template <class T>
void copy(const NpyHeader& header, std::span<const char> numbers, Index first, Matrix& out) {
  const Index sample_step = header.fortran_order ? 1 : header.columns;
  const Index column_step = header.fortran_order ? header.samples : 1;
  for (Index i = 0; i < header.samples; ++i)
    for (Index c = 0; c < header.columns; ++c)
      out(first + c, i) = static_cast<double>(
          load<T>(numbers.data() + sizeof(T) * static_cast<std::size_t>(i * sample_step + c * column_step)));
}

using Copy = void (*)(const NpyHeader&, std::span<const char>, Index, Matrix&);
struct Type {
  std::string_view name;
  std::size_t size;
  Copy copy;
};
constexpr Type kTypes[] = {
    {"<f8", 8, copy<double>},        {"<f4", 4, copy<float>},         {"<i8", 8, copy<std::int64_t>},
    {"<i4", 4, copy<std::int32_t>},  {"<i2", 2, copy<std::int16_t>},  {"|i1", 1, copy<std::int8_t>},
    {"<u8", 8, copy<std::uint64_t>}, {"<u4", 4, copy<std::uint32_t>}, {"<u2", 2, copy<std::uint16_t>},
    {"|u1", 1, copy<std::uint8_t>},  {"|b1", 1, copy<std::uint8_t>},
};

struct Array {
  NpyHeader header;
  std::span<const char> numbers;
  Copy copy = nullptr;
};

/// Checks that the numbers the header promises are there: no size is believed before.
Array read_array(const std::string& source, std::span<const char> bytes) {
  Array array{read_header(source, bytes), {}, nullptr};
  const NpyHeader& header = array.header;
  std::size_t size = 0;
  for (const Type& type : kTypes)
    if (type.name == header.type) {
      array.copy = type.copy;
      size = type.size;
    }
  if (array.copy == nullptr)
    fail(source,
         fmt::format(
             "numbers of type '{}' are not supported (little-endian float32, float64, integers and bool are)",
             header.type));
  array.numbers = bytes.subspan(header.data);
  const std::size_t available = array.numbers.size() / size;
  const auto samples = static_cast<std::size_t>(header.samples);
  const auto columns = static_cast<std::size_t>(header.columns);
  if (columns > available || samples > available / columns)
    fail(source,
         fmt::format("the header promises {} × {} numbers, the file holds {}", samples, columns, available));
  if (array.numbers.size() != samples * columns * size)
    fail(source, fmt::format("{} bytes are left over behind the array",
                             array.numbers.size() - samples * columns * size));
  return array;
}

std::string column_name(const std::string& array, const NpyHeader& header, Index c) {
  return header.columns == 1 ? array : fmt::format("{}{}", array, c + 1);
}

}  // namespace

bool is_npy(std::span<const char> bytes) {
  return std::string_view(bytes.data(), bytes.size()).starts_with(kMagic);
}

bool is_npz(std::span<const char> bytes) { return is_zip(bytes); }

Table read_npy(const std::string& source, std::span<const char> bytes) {
  const Array array = read_array(source, bytes);
  Matrix values(array.header.columns, array.header.samples);
  array.copy(array.header, array.numbers, 0, values);
  std::vector<std::string> names;
  for (Index c = 0; c < array.header.columns; ++c) names.push_back(fmt::format("x{}", c + 1));
  return Table(source, std::move(names), std::move(values));
}

Table read_npz(const std::string& source, std::span<const char> bytes) {
  const std::vector<ZipEntry> entries = zip_entries(source, bytes);
  if (entries.empty()) fail(source, "the archive is empty");
  Matrix values;
  std::vector<std::string> names;
  for (const ZipEntry& entry : entries) {
    if (!entry.name.ends_with(".npy"))
      fail(source, fmt::format("'{}' in the archive is not an array", entry.name));
    const std::string key = entry.name.substr(0, entry.name.size() - 4);
    const std::vector<char> content = zip_extract(source, bytes, entry);
    const Array array = read_array(fmt::format("{}: array '{}'", source, key), content);
    const NpyHeader& header = array.header;
    if (!names.empty() && header.samples != values.cols())
      fail(source, fmt::format("array '{}' has {} samples, the ones before have {}", key, header.samples,
                               values.cols()));
    Matrix joined(values.rows() + header.columns, header.samples);
    if (!names.empty()) joined.topRows(values.rows()) = values;
    array.copy(header, array.numbers, values.rows(), joined);
    values = std::move(joined);
    for (Index c = 0; c < header.columns; ++c) names.push_back(column_name(key, header, c));
  }
  try {
    return Table(source, std::move(names), std::move(values));
  } catch (const InvalidArgument& error) {
    fail(source, error.what());
  }
}

}  // namespace mbll::data
