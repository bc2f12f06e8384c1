#include "mbll/model/model.hpp"

#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "mbll/error.hpp"
#include "mbll/model/file.hpp"
#include "mbll/model/fit.hpp"
#include "mbll/model/pipelines.hpp"
#include "prediction.hpp"

namespace mbll::python {
namespace {

template <class T>
T option(const nb::dict& options, const char* name) {
  T value;
  if (!nb::try_cast(options[name], value))
    throw InvalidArgument(std::string(name) + ": found " + nb::cast<std::string>(nb::repr(options[name])) +
                          ", which has the wrong type");
  return value;
}

/// Every option by its name on the command line.
FitOptions options_from(const nb::dict& given) {
  FitOptions options;
  options.features = feature_kind_from_name(option<std::string>(given, "features"));
  options.hidden = option<std::vector<Index>>(given, "hidden");
  options.activation = nn::activation_from_name(option<std::string>(given, "activation"));
  options.degree = option<Index>(given, "degree");
  options.kernels = option<Index>(given, "kernels");
  options.lengthscale = option<double>(given, "lengthscale");
  options.noise = noise_kind_from_name(option<std::string>(given, "noise"));
  options.train = train_kind_from_name(option<std::string>(given, "train"));
  options.members = option<Index>(given, "members");
  options.epochs = option<Index>(given, "epochs");
  options.batch = option<Index>(given, "batch");
  options.rate = option<double>(given, "rate");
  options.weight_decay = option<double>(given, "weight_decay");
  options.validation = option<double>(given, "validation");
  options.rounds = option<int>(given, "rounds");
  options.seed = option<std::uint64_t>(given, "seed");
  options.threads = option<int>(given, "threads");
  const auto covariance = option<std::string>(given, "covariance");
  check::require(covariance == "known" || covariance == "unknown", "covariance",
                 "'" + covariance + "', expected one of known, unknown");
  LayerOptions& layer = options.layer;
  layer.covariance_known = covariance == "known";
  layer.prior_mean = prior_mean_from_name(option<std::string>(given, "prior_mean"));
  layer.column = column_structure_from_name(option<std::string>(given, "column_covariance"));
  layer.hyperprior = hyperprior_from_name(option<std::string>(given, "hyperprior"));
  // A prior mean from the network's own training needs the hyperprior, and is then estimated with K.
  layer.update_mean = layer.prior_mean == PriorMean::pretrained && layer.hyperprior != HyperpriorKind::none;
  layer.tolerance = option<double>(given, "tolerance");
  layer.max_steps = option<int>(given, "max_steps");
  return options;
}

/// Fits on another thread, so that this one can look for Ctrl-C while it waits: Python delivers signals to
/// its main thread only.
Model fit_interruptibly(FitData data, FitOptions options) {
  std::atomic<bool> stop = false;
  options.progress = [&stop](const FitProgress&) { return !stop; };
  options.layer.progress = [&stop](const EmStep&) { return !stop; };
  std::future<Model> fitting = std::async(std::launch::async, [&] { return fit(std::move(data), options); });
  bool interrupted = false;
  while (true) {
    {
      const nb::gil_scoped_release release;
      if (fitting.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready) break;
    }
    if (!interrupted && PyErr_CheckSignals() != 0) {
      interrupted = true;
      stop = true;
    }
  }
  if (!interrupted) return fitting.get();
  nb::python_error raised;  // takes over the exception that the signal raised
  throw raised;
}

Model fit_model(const ArrayLike& X, const ArrayLike& Y, const ArrayLike& sigma, const nb::dict& options,
                std::vector<std::string> input_names, std::vector<std::string> output_names) {
  const Samples inputs = features_from(X, "X");
  const Samples outputs = outputs_from(Y, "y", inputs.count());
  FitData data;
  data.X = inputs.view;
  data.Y = outputs.view;
  if (!sigma.is_none()) data.sigma = noise_from(sigma, inputs.count()).view();
  data.input_names = std::move(input_names);
  data.output_names = std::move(output_names);
  return fit_interruptibly(std::move(data), options_from(options));
}

Vector given_noise(const Model& model, nb::handle sigma, Index samples) {
  if (!model.needs_given_noise()) {
    check::require(sigma.is_none(), "sigma", "was given, but the model was not fitted with given noise");
    return {};
  }
  check::require(!sigma.is_none(), "sigma", "is missing: the model was fitted with given noise");
  Vector values = noise_from(sigma, samples).view();
  check::positive("sigma", values);
  return values;
}

Prediction predict_model(const Model& self, const ArrayLike& X, const ArrayLike& sigma, bool flat) {
  const Samples inputs = features_from(X, "X", self.inputs());
  const Vector given = given_noise(self, sigma, inputs.count());
  Prediction result;
  result.flat = flat;
  const nb::gil_scoped_release release;
  result.predictive = self.predict(inputs.view, given);
  return result;
}

Model update(const Model& self, const ArrayLike& X, const ArrayLike& Y, const ArrayLike& sigma) {
  const Samples inputs = features_from(X, "X", self.inputs());
  const Samples outputs = outputs_from(Y, "y", inputs.count(), self.outputs());
  const Vector given = given_noise(self, sigma, inputs.count());
  const nb::gil_scoped_release release;
  return self.update(inputs.view, outputs.view, given);
}

std::string encode(const Model& self) {
  const nb::gil_scoped_release release;
  return model_to_bytes(self, ModelEncoding::cbor);
}

/// Every option of a fit and its default, by its name on the command line.
nb::dict default_options() {
  const FitOptions options;
  nb::dict result;
  result["features"] = name_of(options.features);
  result["hidden"] = options.hidden.front();  // 0: chosen by the number of samples
  result["activation"] = std::string(nn::name_of(options.activation));
  result["degree"] = options.degree;
  result["kernels"] = options.kernels;
  result["lengthscale"] = options.lengthscale;
  result["noise"] = name_of(options.noise);
  result["covariance"] = options.layer.covariance_known ? "known" : "unknown";
  result["prior_mean"] = name_of(options.layer.prior_mean);
  result["column_covariance"] = name_of(options.layer.column);
  result["hyperprior"] = name_of(options.layer.hyperprior);
  result["train"] = name_of(options.train);
  result["members"] = options.members;
  result["epochs"] = options.epochs;
  result["batch"] = options.batch;
  result["rate"] = options.rate;
  result["weight_decay"] = options.weight_decay;
  result["validation"] = options.validation;
  result["rounds"] = options.rounds;
  result["tolerance"] = options.layer.tolerance;
  result["max_steps"] = options.layer.max_steps;
  result["seed"] = options.seed;
  result["threads"] = options.threads;
  return result;
}

FloatArray trace_of(const Model& self) {
  const std::vector<EmStep>& steps = self.report().trace;
  Vector values(static_cast<Index>(steps.size()));
  for (Index i = 0; i < values.size(); ++i) values(i) = steps[static_cast<std::size_t>(i)].objective();
  return from_vector(std::move(values));
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model",
                    "A fitted regression: scaling, features, noise and posteriors. Immutable.")
      .def_static("fit", &fit_model, nb::arg("X"), nb::arg("y"), nb::arg("sigma").none(), nb::arg("options"),
                  nb::arg("input_names") = std::vector<std::string>(),
                  nb::arg("output_names") = std::vector<std::string>())
      .def("predict", &predict_model, nb::arg("X"), nb::arg("sigma") = nb::none(), nb::arg("flat") = false)
      .def("update", &update, nb::arg("X"), nb::arg("y"), nb::arg("sigma") = nb::none())
      .def_prop_ro("inputs", &Model::inputs)
      .def_prop_ro("outputs", &Model::outputs)
      .def_prop_ro("input_names", &Model::input_names)
      .def_prop_ro("output_names", &Model::output_names)
      .def_prop_ro("needs_given_noise", &Model::needs_given_noise)
      .def_prop_ro("noise_covariance", [](const Model& self) { return from_matrix(self.noise_covariance()); })
      .def_prop_ro("log_evidence", [](const Model& self) { return self.report().log_evidence; })
      .def_prop_ro("samples", [](const Model& self) { return self.report().samples; })
      .def_prop_ro("pipeline", [](const Model& self) { return self.report().pipeline; })
      .def_prop_ro("em_steps", [](const Model& self) { return self.report().em_steps; })
      .def_prop_ro("converged", [](const Model& self) { return self.report().converged; })
      .def_prop_ro("trace", &trace_of)
      .def_prop_ro("training_loss", [](const Model& self) { return self.report().training_loss; })
      .def(
          "save", [](const Model& self, const std::string& path) { save_model(self, path); }, nb::arg("path"))
      .def_static(
          "load", [](const std::string& path) { return load_model(path); }, nb::arg("path"))
      .def("__getstate__",
           [](const Model& self) {
             const std::string bytes = encode(self);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](Model& self, const nb::bytes& state) {
        new (&self) Model(model_from_bytes({static_cast<const char*>(state.data()), state.size()}));
      });
  module.def("_default_options", &default_options);
  module.def("_cross_fit_samples", &cross_fit_samples, nb::arg("members"), nb::arg("outputs"));
}

}  // namespace mbll::python
