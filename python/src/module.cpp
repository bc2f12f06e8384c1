#include "bindings.hpp"
#include "mbll/core.hpp"
#include "mbll/error.hpp"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  module.doc() = "The C++ library. Use it through `mbll`.";
  module.attr("__version__") = mbll::version();
  nb::exception<mbll::DataError>(module, "DataError", PyExc_ValueError);
  // The library says which argument is wrong and why: that is Python's ValueError.
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const mbll::InvalidArgument& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  mbll::python::bind_prediction(module);
  mbll::python::bind_statistics(module);
  mbll::python::bind_bayes(module);
  mbll::python::bind_unrelated(module);
  mbll::python::bind_last_layer(module);
  mbll::python::bind_em(module);
  mbll::python::bind_metrics(module);
  mbll::python::bind_model(module);
}
