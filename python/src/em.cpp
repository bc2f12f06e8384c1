#include "mbll/em/em.hpp"

#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <variant>

#include "arrays.hpp"
#include "bindings.hpp"
#include "data.hpp"
#include "mbll/error.hpp"

namespace mbll::python {
namespace {

/// Accept every object, like ArrayLike; what is wrong is said by hyperprior_from, or by Python when it calls.
class HyperpriorLike : public nb::object {
  NB_OBJECT_DEFAULT(HyperpriorLike, nb::object, "str | tuple[numpy.typing.ArrayLike, float]", accept)
 private:
  static bool accept(PyObject*) { return true; }
};

class Progress : public nb::object {
  NB_OBJECT_DEFAULT(Progress, nb::object, "collections.abc.Callable[[int, float], object]", accept)
 private:
  static bool accept(PyObject*) { return true; }
};

/// EmResult of either prior, with σ per sample as the caller counts it.
struct Estimate {
  std::variant<NormalPrior, WishartPrior> prior;
  Posterior posterior;
  EmSummary summary;
  Vector sigma;  ///< N; one entry, the factor, when the data came as statistics
};

Hyperprior hyperprior_from(nb::handle value, const Statistics& data) {
  if (nb::isinstance<nb::str>(value)) {
    const auto name = nb::cast<std::string>(value);
    if (name == "identity") return Hyperprior::identity(data.features());
    if (name == "scale-invariant") return Hyperprior::scale_invariant(data);
    throw InvalidArgument("hyperprior: '" + name +
                          "', expected None, identity, scale-invariant or (H, nu_K)");
  }
  check::require(nb::isinstance<nb::tuple>(value) && nb::len(value) == 2, "hyperprior",
                 "expected None, a name or a pair (H, nu_K)");
  const std::optional<double> nu = number_from(value[1]);
  check::require(nu.has_value(), "hyperprior nu_K", "expected a number");
  if (const auto factor = number_from(value[0]))
    return {*factor * Matrix::Identity(data.features(), data.features()), *nu};
  return {matrix_from(value[0], "hyperprior H"), *nu};
}

/// Lets Ctrl-C and the caller's own function stop a run. An exception waits here until the run has ended.
class Watch {
 public:
  explicit Watch(Progress progress) : progress_(std::move(progress)) {}

  bool operator()(const EmStep& step) {
    const nb::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return progress_.is_none() || !progress_(step.evaluations, step.objective()).is(nb::handle(Py_False));
    } catch (nb::python_error&) {
      raised_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  Progress progress_;
  std::exception_ptr raised_;
};

struct EmArguments {
  HyperpriorLike hyperprior;
  EmOptions options;
  Progress progress;
};

template <class Prior>
Estimate run(const Prior& prior, const Statistics& data, EmArguments arguments, Vector sigma) {
  EmOptions& options = arguments.options;
  if (!arguments.hyperprior.is_none()) options.hyperprior = hyperprior_from(arguments.hyperprior, data);
  Watch watch(std::move(arguments.progress));
  options.progress = [&watch](const EmStep& step) { return watch(step); };
  auto result = [&] {
    const nb::gil_scoped_release release;
    return fit_em(prior, data, options);
  }();
  watch.rethrow();
  sigma *= result.noise_scale;
  EmSummary summary = std::move(static_cast<EmSummary&>(result));
  return {std::move(result.prior), std::move(result.posterior), std::move(summary), std::move(sigma)};
}

EmArguments arguments_from(const std::string& structure, const std::string& psi_structure,
                           HyperpriorLike hyperprior, bool update_mean, bool constant_noise, double tol,
                           int max_steps, bool accelerate, std::vector<Index> blocks,
                           bool unregularised_joint, Progress progress) {
  EmArguments result{std::move(hyperprior), {}, std::move(progress)};
  result.options.column = column_structure_from_name(structure);
  result.options.row = row_structure_from_name(psi_structure);
  result.options.blocks = std::move(blocks);
  result.options.update_mean = update_mean;
  result.options.update_noise = constant_noise;
  result.options.unregularised_joint = unregularised_joint;
  result.options.tolerance = tol;
  result.options.max_steps = max_steps;
  result.options.accelerate = accelerate;
  return result;
}

constexpr const char* em_doc =
    "Estimates hyperparameters by expectation maximisation from the starting values in `prior`. "
    "constant_noise: "
    "estimate one factor on all given sigma. hyperprior: None, 'identity', 'scale-invariant' or (H, nu_K). "
    "progress: "
    "called with (steps, objective) at every step; False stops.";

template <class Prior>
void bind_em_for(nb::module_& module) {
  module.def(
      "em",
      [](const Prior& prior, const Statistics& data, const std::string& structure,
         const std::string& psi_structure, HyperpriorLike hyperprior, bool update_mean, bool constant_noise,
         double tol, int max_steps, bool accelerate, std::vector<Index> blocks, bool unregularised_joint,
         Progress progress) {
        return run(prior, data,
                   arguments_from(structure, psi_structure, std::move(hyperprior), update_mean,
                                  constant_noise, tol, max_steps, accelerate, std::move(blocks),
                                  unregularised_joint, std::move(progress)),
                   Vector::Ones(1));
      },
      nb::arg("prior"), nb::arg("data"), nb::kw_only(), nb::arg("structure") = "isotropic",
      nb::arg("psi_structure") = "full", nb::arg("hyperprior") = nb::none(), nb::arg("update_mean") = false,
      nb::arg("constant_noise") = false, nb::arg("tol") = 1e-4, nb::arg("max_steps") = 1000,
      nb::arg("accelerate") = true, nb::arg("blocks") = std::vector<Index>(),
      nb::arg("unregularised_joint") = false, nb::arg("progress") = nb::none(), em_doc);
  module.def(
      "em",
      [](const Prior& prior, const ArrayLike& Phi, const ArrayLike& Y, const ArrayLike& sigma,
         const std::string& structure, const std::string& psi_structure, HyperpriorLike hyperprior,
         bool update_mean, bool constant_noise, double tol, int max_steps, bool accelerate,
         std::vector<Index> blocks, bool unregularised_joint, int threads, Progress progress) {
        EmArguments arguments = arguments_from(structure, psi_structure, std::move(hyperprior), update_mean,
                                               constant_noise, tol, max_steps, accelerate, std::move(blocks),
                                               unregularised_joint, std::move(progress));
        const Statistics data = statistics_of(prior.M.cols(), prior.M.rows(), Phi, Y, sigma, threads);
        return run(prior, data, std::move(arguments), noise_from(sigma, data.samples()).view());
      },
      nb::arg("prior"), nb::arg("Phi"), nb::arg("Y"), nb::arg("sigma") = nb::none(),
      nb::arg("structure") = "isotropic", nb::arg("psi_structure") = "full",
      nb::arg("hyperprior") = nb::none(), nb::arg("update_mean") = false, nb::arg("constant_noise") = false,
      nb::arg("tol") = 1e-4, nb::arg("max_steps") = 1000, nb::arg("accelerate") = true, nb::kw_only(),
      nb::arg("blocks") = std::vector<Index>(), nb::arg("unregularised_joint") = false,
      nb::arg("threads") = 0, nb::arg("progress") = nb::none(), em_doc);
}

template <class Get>
FloatArray series(const Estimate& self, Get get) {
  Vector values(static_cast<Index>(self.summary.trace.size()));
  for (Index i = 0; i < values.size(); ++i) values(i) = get(self.summary.trace[static_cast<std::size_t>(i)]);
  return from_vector(std::move(values));
}

nb::typed<nb::dict, nb::str, FloatArray> history(const Estimate& self) {
  nb::typed<nb::dict, nb::str, FloatArray> result;
  result["evaluations"] = series(self, [](const EmStep& s) { return s.evaluations; });
  result["log_evidence"] = series(self, [](const EmStep& s) { return s.log_evidence; });
  result["log_hyperprior"] = series(self, [](const EmStep& s) { return s.log_hyperprior; });
  result["parameter_change"] = series(self, [](const EmStep& s) { return s.parameter_change; });
  result["evidence_change"] = series(self, [](const EmStep& s) { return s.evidence_change; });
  result["column_trace"] = series(self, [](const EmStep& s) { return s.column_trace; });
  result["condition"] = series(self, [](const EmStep& s) { return s.condition; });
  result["effective_parameters"] = series(self, [](const EmStep& s) { return s.effective_parameters; });
  result["noise_scale"] = series(self, [](const EmStep& s) { return s.noise_scale; });
  return result;
}

}  // namespace

void bind_em(nb::module_& module) {
  nb::class_<Estimate>(module, "EmResult", "Hyperparameters found by EM, and how the run went.")
      .def_ro("prior", &Estimate::prior, "The prior with the estimated hyperparameters.")
      .def_ro("posterior", &Estimate::posterior, "Given the data with the estimated noise.")
      .def_prop_ro(
          "sigma", [](const Estimate& self) { return from_vector(self.sigma); },
          "noise_scale times the given sigma: (N,); (1,) when the data came as Statistics.")
      .def_prop_ro(
          "noise_scale", [](const Estimate& self) { return self.summary.noise_scale; },
          "The factor on the given sigma.")
      .def_prop_ro(
          "trace",
          [](const Estimate& self) {
            return series(self, [](const EmStep& step) { return step.objective(); });
          },
          "Log-evidence + log-hyperprior at every accepted step, the start first.")
      .def_prop_ro("history", &history, "Everything known about every accepted step, as arrays by name.")
      .def_prop_ro(
          "steps", [](const Estimate& self) { return self.summary.steps; }, "E-steps used.")
      .def_prop_ro("converged", [](const Estimate& self) { return self.summary.converged(); })
      .def_prop_ro(
          "end", [](const Estimate& self) { return std::string(name_of(self.summary.end)); },
          "'converged', 'step_limit', 'stopped' or 'rounding'.");
  bind_em_for<NormalPrior>(module);
  bind_em_for<WishartPrior>(module);
}

}  // namespace mbll::python
