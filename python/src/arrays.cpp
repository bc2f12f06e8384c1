#include "arrays.hpp"

#include <string>
#include <utility>

#include "mbll/error.hpp"

namespace mbll::python {
namespace {

std::string shape_of(const Array& array) {
  std::string text = "(";
  for (std::size_t i = 0; i < array.ndim(); ++i) text += (i > 0 ? ", " : "") + std::to_string(array.shape(i));
  return text + (array.ndim() == 1 ? ",)" : ")");
}

std::string expected_count(Index count, const char* any) { return count < 0 ? any : std::to_string(count); }

[[noreturn]] void refuse_shape(const char* name, const Array& array, const std::string& expected) {
  throw InvalidArgument(std::string(name) + ": found shape " + shape_of(array) + ", expected " + expected);
}

Index extent(const Array& array, std::size_t axis) { return static_cast<Index>(array.shape(axis)); }

template <class Owned>
FloatArray adopt(Owned value, std::initializer_list<std::size_t> shape) {
  auto* owned = new Owned(std::move(value));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
  return nb::borrow<FloatArray>(
      nb::cast(nb::ndarray<nb::numpy, double>(owned->data(), shape, owner), nb::rv_policy::reference));
}

}  // namespace

std::optional<double> number_from(nb::handle value) {
  if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) return nb::cast<double>(nb::float_(value));
  const nb::object dimensions = nb::getattr(value, "ndim", nb::none());
  if (dimensions.is_none() || !dimensions.equal(nb::int_(0))) return std::nullopt;
  double number = 0;
  if (!nb::try_cast(value, number)) return std::nullopt;
  return number;
}

FloatArray to_numpy(nb::handle value, const char* name) {
  try {
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object readable = nb::module_::import_("mbll._validation").attr("as_array")(value);
    const nb::object found = numpy.attr("asarray")(readable);
    if (nb::cast<std::string>(found.attr("dtype").attr("kind")) == "c")
      throw InvalidArgument(std::string(name) + ": found complex numbers, expected real ones");
    return nb::borrow<FloatArray>(numpy.attr("require")(found, "float64", "CA"));
  } catch (nb::python_error& error) {
    // The third is PyTorch's: for tensors without memory that NumPy could read.
    const bool about_value = error.matches(PyExc_TypeError) || error.matches(PyExc_ValueError) ||
                             error.matches(PyExc_RuntimeError);
    if (!about_value) throw;
    throw InvalidArgument(std::string(name) + ": expected numbers, but " +
                          nb::cast<std::string>(nb::str(error.value())));
  }
}

Array to_array(nb::handle value, const char* name) {
  Array array;
  if (nb::try_cast<Array>(value, array, false)) return array;
  if (nb::try_cast<Array>(to_numpy(value, name), array, false)) return array;
  throw InvalidArgument(std::string(name) + ": found shape (), expected an array");
}

Samples features_from(nb::handle value, const char* name, Index columns) {
  Array array = to_array(value, name);
  if (array.ndim() != 2 || extent(array, 1) == 0 || (columns >= 0 && extent(array, 1) != columns))
    refuse_shape(name, array, "(samples, " + expected_count(columns, "columns") + ")");
  const Columns view(array.data(), extent(array, 1), extent(array, 0));
  return {std::move(array), view};
}

Samples outputs_from(nb::handle value, const char* name, Index samples, Index columns) {
  Array array = to_array(value, name);
  const bool flat = array.ndim() == 1;
  const Index width = flat ? 1 : array.ndim() == 2 ? extent(array, 1) : -1;
  const Index count = array.ndim() > 0 ? extent(array, 0) : -1;
  if (width <= 0 || (columns >= 0 && width != columns) || (samples >= 0 && count != samples))
    refuse_shape(name, array,
                 "(" + expected_count(samples, "samples") + ", " + expected_count(columns, "outputs") + ")");
  const Columns view(array.data(), width, count);
  return {std::move(array), view};
}

Entries Noise::view() const {
  if (array.is_valid()) return {array.data(), static_cast<Index>(array.size())};
  return {value.data(), value.size()};
}

Noise noise_from(nb::handle value, Index samples, const char* name) {
  if (value.is_none()) return {Array(), Vector::Ones(samples)};
  if (const auto number = number_from(value)) return {Array(), Vector::Constant(samples, *number)};
  Array array = to_array(value, name);
  if (array.ndim() != 1 || extent(array, 0) != samples)
    refuse_shape(name, array, "(" + std::to_string(samples) + ",): one entry per sample");
  return {std::move(array), Vector()};
}

Vector vector_from(nb::handle value, const char* name) {
  const Array array = to_array(value, name);
  if (array.ndim() != 1) refuse_shape(name, array, "(entries,)");
  return Entries(array.data(), extent(array, 0));
}

Matrix matrix_from(nb::handle value, const char* name) {
  const Array array = to_array(value, name);
  if (array.ndim() != 2) refuse_shape(name, array, "(rows, columns)");
  return Columns(array.data(), extent(array, 1), extent(array, 0)).transpose();
}

Covariance covariance_from(nb::handle value, Index size, const char* name) {
  if (const auto number = number_from(value)) return Covariance::isotropic(size, *number, name);
  const Array array = to_array(value, name);
  const std::string expected = "(" + std::to_string(size) + ", " + std::to_string(size) + ")";
  for (std::size_t axis = 0; axis < array.ndim(); ++axis)
    if (array.ndim() > 2 || extent(array, axis) != size) refuse_shape(name, array, expected);
  if (array.ndim() == 1) return Covariance::diagonal(Entries(array.data(), size), name);
  return Covariance::from_matrix(Columns(array.data(), size, size), name);
}

FloatArray from_samples(Matrix value) {
  const auto columns = static_cast<std::size_t>(value.rows());
  const auto count = static_cast<std::size_t>(value.cols());
  return adopt(std::move(value), {count, columns});
}

FloatArray from_samples(Matrix value, bool flat) {
  if (!flat) return from_samples(std::move(value));
  const auto count = static_cast<std::size_t>(value.size());
  return adopt(std::move(value), {count});
}

FloatArray reshaped(const FloatArray& array, std::initializer_list<Index> shape) {
  nb::list extents;
  for (const Index extent : shape) extents.append(extent);
  return nb::borrow<FloatArray>(array.attr("reshape")(extents));
}

FloatArray from_vector(Vector value) {
  const auto count = static_cast<std::size_t>(value.size());
  return adopt(std::move(value), {count});
}

FloatArray from_matrix(const Matrix& value) { return from_samples(value.transpose()); }

}  // namespace mbll::python
