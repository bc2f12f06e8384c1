#include "mbll/bayes/statistics.hpp"

#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "data.hpp"
#include "mbll/error.hpp"

namespace mbll::python {
namespace {

void add(Statistics& self, const ArrayLike& Phi, const ArrayLike& Y, const ArrayLike& sigma) {
  const Samples features = features_from(Phi, "Phi", self.features());
  const Samples outputs = outputs_from(Y, "Y", features.count(), self.outputs());
  add_samples(self, features, outputs, sigma);
}

nb::tuple state_of(const Statistics& self) {
  return nb::make_tuple(self.features(), self.outputs(), from_matrix(self.root()), self.samples(),
                        self.gram_samples(), self.log_noise());
}

Statistics from_state(const nb::tuple& state) {
  return Statistics::from_parts(nb::cast<Index>(state[0]), nb::cast<Index>(state[1]),
                                matrix_from(state[2], "root"), nb::cast<Index>(state[3]),
                                nb::cast<Index>(state[4]), nb::cast<double>(state[5]), {.threads = 0});
}

}  // namespace

void add_samples(Statistics& statistics, const Samples& Phi, const Samples& Y, nb::handle sigma) {
  if (sigma.is_none()) {
    const nb::gil_scoped_release release;
    statistics.add(Phi.view, Y.view);
    return;
  }
  const Noise noise = noise_from(sigma, Phi.count());
  const nb::gil_scoped_release release;
  statistics.add(Phi.view, Y.view, noise.view());
}

Statistics statistics_of(Index features, Index outputs, nb::handle Phi, nb::handle Y, nb::handle sigma,
                         int threads) {
  const Samples phi = features_from(Phi, "Phi", features);
  const Samples y = outputs_from(Y, "Y", phi.count(), outputs);
  Statistics result(features, outputs, {.threads = threads});
  add_samples(result, phi, y, sigma);
  return result;
}

void bind_statistics(nb::module_& module) {
  nb::class_<Statistics>(
      module, "Statistics",
      "What the data says about the last layer, in (d+p)² numbers whatever N: add in pieces, merge "
      "over processes, pickle. Arrays are read in place.")
      .def(
          "__init__",
          [](Statistics* self, Index d, Index p, int threads) {
            new (self) Statistics(d, p, {.threads = threads});
          },
          nb::arg("d"), nb::arg("p"), nb::kw_only(), nb::arg("threads") = 0)
      .def("add", &add, nb::arg("Phi"), nb::arg("Y"), nb::arg("sigma") = nb::none(),
           "Adds N samples: Phi (N, d), Y (N, p), sigma (N,), a number, or None for 1. Changes nothing if it "
           "raises.")
      .def(
          "merge",
          [](Statistics& self, const Statistics& other) {
            const nb::gil_scoped_release release;
            self.merge(other);
          },
          nb::arg("other"), "Statistics of both data sets together.")
      .def_prop_ro("features", &Statistics::features)
      .def_prop_ro("outputs", &Statistics::outputs)
      .def_prop_ro("samples", &Statistics::samples)
      .def_prop_ro("log_noise", &Statistics::log_noise, "Sum of ln sigma² over the samples.")
      .def_prop_ro(
          "root", [](const Statistics& self) { return from_matrix(self.root()); },
          "Upper triangular R with RᵀR = [Phi Y]ᵀ D⁻¹ [Phi Y]: (d+p, d+p)")
      .def("__repr__",
           [](const Statistics& self) {
             return "<mbll.Statistics of " + std::to_string(self.samples()) + " samples, " +
                    std::to_string(self.features()) + " features, " + std::to_string(self.outputs()) +
                    " outputs>";
           })
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](Statistics& self, const nb::tuple& state) { new (&self) Statistics(from_state(state)); });
  module.def(
      "_data_address",
      [](const ArrayLike& Phi) {
        return reinterpret_cast<std::uintptr_t>(features_from(Phi, "Phi").view.data());
      },
      nb::arg("Phi"), "Where the library would read this array: shows that it is not copied.");
}

}  // namespace mbll::python
