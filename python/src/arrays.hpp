#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <initializer_list>
#include <optional>

#include "mbll/bayes/covariance.hpp"
#include "mbll/core.hpp"

/// Between NumPy and the library. NumPy is samples-first: an (N, d) array in C order is the same memory as
/// our d×N matrix, so arguments are read in place. Anything else (other dtypes, strides, lists, tensors) is
/// converted once.
namespace mbll::python {

namespace nb = nanobind;

using Array = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Columns = Eigen::Map<const Matrix>;
using Entries = Eigen::Map<const Vector>;

/// Any argument that can become an array of doubles. Accepts every object, so that what is wrong with one is
/// said by us (ValueError naming the argument) and not by the overload resolution.
class ArrayLike : public nb::object {
  NB_OBJECT_DEFAULT(ArrayLike, nb::object, "numpy.typing.ArrayLike", accept)
 private:
  static bool accept(PyObject*) { return true; }
};

/// What is handed out: an array of doubles.
class FloatArray : public nb::object {
  NB_OBJECT_DEFAULT(FloatArray, nb::object, "numpy.typing.NDArray[numpy.float64]", accept)
 private:
  static bool accept(PyObject*) { return true; }
};

/// Samples in the rows of an array: (N, columns), seen as columns×N. Keeps the memory alive.
struct Samples {
  Array array;
  Columns view;  ///< columns×N

  [[nodiscard]] Index count() const { return view.cols(); }
};

/// σ per sample. A number stands for all samples, None for 1.
struct Noise {
  Array array;   ///< the caller's memory, when it is used
  Vector value;  ///< otherwise
  [[nodiscard]] Entries view() const;
};

/// A Python or NumPy number; nothing for anything else.
[[nodiscard]] std::optional<double> number_from(nb::handle value);

/// All throw InvalidArgument with a message that starts with `name`. `columns` < 0: any number.
[[nodiscard]] Array to_array(nb::handle value, const char* name);
/// The same as a NumPy array; its memory where that holds doubles in C order.
[[nodiscard]] FloatArray to_numpy(nb::handle value, const char* name);
[[nodiscard]] Samples features_from(nb::handle value, const char* name, Index columns = -1);
/// Like features, and a one-dimensional array of N values is N samples of one output.
[[nodiscard]] Samples outputs_from(nb::handle value, const char* name, Index samples = -1,
                                   Index columns = -1);
[[nodiscard]] Noise noise_from(nb::handle value, Index samples, const char* name = "sigma");
[[nodiscard]] Vector vector_from(nb::handle value, const char* name);
/// A plain matrix (rows, columns), not samples.
[[nodiscard]] Matrix matrix_from(nb::handle value, const char* name);
/// A matrix; or a vector, the diagonal; or a number, that multiple of the identity.
[[nodiscard]] Covariance covariance_from(nb::handle value, Index size, const char* name);

/// columns×N as an (N, columns) array that takes over the memory.
[[nodiscard]] FloatArray from_samples(Matrix value);
/// The same as (N,) when `flat`: one output as the caller gave it.
[[nodiscard]] FloatArray from_samples(Matrix value, bool flat);
/// The same memory in another shape.
[[nodiscard]] FloatArray reshaped(const FloatArray& array, std::initializer_list<Index> shape);
[[nodiscard]] FloatArray from_vector(Vector value);
/// A plain matrix as a (rows, columns) array.
[[nodiscard]] FloatArray from_matrix(const Matrix& value);

/// Lets other Python threads run during a call that is worth it: below some ten microseconds the hand-over
/// costs more than the call.
class ReleaseWhenLong {
 public:
  explicit ReleaseWhenLong(double flops) {
    if (flops > 1e5) release_.emplace();
  }

 private:
  std::optional<nb::gil_scoped_release> release_;
};

}  // namespace mbll::python
