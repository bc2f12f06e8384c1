#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "data.hpp"
#include "mbll/bayes/posterior.hpp"
#include "mbll/error.hpp"
#include "prediction.hpp"
#include "state.hpp"

namespace mbll::python {
namespace {

using Priors = std::variant<NormalPrior, WishartPrior>;

NormalPrior normal_prior(const ArrayLike& M, const ArrayLike& V, const ArrayLike& K) {
  Matrix mean = matrix_from(M, "M");
  const Index p = mean.rows();
  const Index d = mean.cols();
  NormalPrior prior{std::move(mean), covariance_from(V, p, "V"), covariance_from(K, d, "K")};
  prior.validate();
  return prior;
}

WishartPrior wishart_prior(const ArrayLike& M, const ArrayLike& K, const ArrayLike& Psi, double nu) {
  Matrix mean = matrix_from(M, "M");
  const Index p = mean.rows();
  const Index d = mean.cols();
  WishartPrior prior{std::move(mean), covariance_from(K, d, "K"), covariance_from(Psi, p, "Psi"), nu};
  prior.validate();
  return prior;
}

Index features(const NormalPrior& prior) { return prior.M.cols(); }
Index features(const WishartPrior& prior) { return prior.M.cols(); }
Index features(const Posterior& prior) { return prior.features(); }
Index outputs(const NormalPrior& prior) { return prior.M.rows(); }
Index outputs(const WishartPrior& prior) { return prior.M.rows(); }
Index outputs(const Posterior& prior) { return prior.outputs(); }

template <class Prior>
void bind_condition(nb::module_& module) {
  module.def(
      "condition",
      [](const Prior& prior, const Statistics& data) {
        const nb::gil_scoped_release release;
        return condition(prior, data);
      },
      nb::arg("prior"), nb::arg("data"));
  module.def(
      "condition",
      [](const Prior& prior, const ArrayLike& Phi, const ArrayLike& Y, const ArrayLike& sigma, int threads) {
        const Statistics data = statistics_of(features(prior), outputs(prior), Phi, Y, sigma, threads);
        const nb::gil_scoped_release release;
        return condition(prior, data);
      },
      nb::arg("prior"), nb::arg("Phi"), nb::arg("Y"), nb::arg("sigma") = nb::none(), nb::kw_only(),
      nb::arg("threads") = 0,
      "Posterior of the last layer and log-evidence of the data. Phi (N, d), Y (N, p), sigma (N,). A "
      "posterior is the "
      "next prior.");
}

Prediction predict_posterior(nb::handle_t<Posterior> self, const ArrayLike& Phi, const ArrayLike& sigma) {
  const Posterior& posterior = *nb::inst_ptr<Posterior>(self);
  const Samples phi = features_from(Phi, "Phi", posterior.features());
  const Noise noise = noise_from(sigma, phi.count());
  Prediction result;
  {
    const auto d = static_cast<double>(posterior.features());
    const ReleaseWhenLong release(d * d * static_cast<double>(phi.count()));
    result.predictive = std::make_shared<SharedPredictive>(posterior.predict(phi.view, noise.view()));
  }
  result.joint = [keep = nb::borrow(self), &posterior, phi, noise](const MatrixView& Y) {
    if (phi.count() <= posterior.features()) return posterior.log_density_joint(phi.view, noise.view(), Y);
    // Many points: as the evidence of new samples, which does not grow with the square of their number.
    Statistics data(posterior.features(), posterior.outputs());
    data.add(phi.view, Y, noise.view());
    return condition(posterior, data).log_evidence();
  };
  return result;
}

/// Seconds that the library itself takes for a prediction, best of five runs: the yardstick of this binding.
double predict_time(const Posterior& posterior, const ArrayLike& Phi, const ArrayLike& sigma, int repeats) {
  const Samples phi = features_from(Phi, "Phi", posterior.features());
  const Noise noise = noise_from(sigma, phi.count());
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 5; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) static_cast<void>(posterior.predict(phi.view, noise.view()));
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    best = std::min(best, passed.count() / repeats);
  }
  return best;
}

Priors as_prior(const Posterior& self) {
  if (self.noise_known()) return self.as_normal_prior();
  return self.as_wishart_prior();
}

std::optional<FloatArray> row_scale_if(const Posterior& self, bool condition) {
  if (!condition) return std::nullopt;
  return from_matrix(self.row_scale().matrix());
}

nb::tuple posterior_state(const Posterior& self) {
  return nb::make_tuple(from_matrix(self.mean()), state_of(self.column_covariance()),
                        state_of(self.row_scale()), self.nu(), from_matrix(self.residual_scatter()),
                        self.log_evidence(), self.samples());
}

Posterior posterior_from_state(const nb::tuple& state) {
  return Posterior::from_parts(matrix_from(state[0], "mean"), covariance_from_state(state[1]),
                               covariance_from_state(state[2]), nb::cast<double>(state[3]),
                               matrix_from(state[4], "residual_scatter"), nb::cast<double>(state[5]),
                               nb::cast<Index>(state[6]));
}

void bind_priors(nb::module_& module) {
  nb::class_<NormalPrior>(
      module, "MatrixNormal",
      "Prior of the last layer with known noise covariance: A ~ MN(M, V, K). M (p, d); V (p, p) and "
      "K (d, d) are matrices, their diagonals, or numbers.")
      .def(
          "__init__",
          [](NormalPrior* self, const ArrayLike& M, const ArrayLike& V, const ArrayLike& K) {
            new (self) NormalPrior(normal_prior(M, V, K));
          },
          nb::arg("M"), nb::arg("V"), nb::arg("K"))
      .def_prop_ro("M", [](const NormalPrior& self) { return from_matrix(self.M); })
      .def_prop_ro("V", [](const NormalPrior& self) { return from_matrix(self.V.matrix()); })
      .def_prop_ro("K", [](const NormalPrior& self) { return from_matrix(self.K.matrix()); })
      .def("__getstate__",
           [](const NormalPrior& self) {
             return nb::make_tuple(from_matrix(self.M), state_of(self.V), state_of(self.K));
           })
      .def("__setstate__", [](NormalPrior& self, const nb::tuple& state) {
        new (&self) NormalPrior{matrix_from(state[0], "M"), covariance_from_state(state[1]),
                                covariance_from_state(state[2])};
      });
  nb::class_<WishartPrior>(
      module, "NormalInverseWishart",
      "Prior with unknown noise covariance: V ~ IW(Psi, nu), A | V ~ MN(M, V, K). nu > 2p counts "
      "as Gupta & Nagar do.")
      .def(
          "__init__",
          [](WishartPrior* self, const ArrayLike& M, const ArrayLike& K, const ArrayLike& Psi, double nu) {
            new (self) WishartPrior(wishart_prior(M, K, Psi, nu));
          },
          nb::arg("M"), nb::arg("K"), nb::arg("Psi"), nb::arg("nu"))
      .def_prop_ro("M", [](const WishartPrior& self) { return from_matrix(self.M); })
      .def_prop_ro("K", [](const WishartPrior& self) { return from_matrix(self.K.matrix()); })
      .def_prop_ro("Psi", [](const WishartPrior& self) { return from_matrix(self.Psi.matrix()); })
      .def_ro("nu", &WishartPrior::nu)
      .def("__getstate__",
           [](const WishartPrior& self) {
             return nb::make_tuple(from_matrix(self.M), state_of(self.K), state_of(self.Psi), self.nu);
           })
      .def("__setstate__", [](WishartPrior& self, const nb::tuple& state) {
        new (&self) WishartPrior{matrix_from(state[0], "M"), covariance_from_state(state[1]),
                                 covariance_from_state(state[2]), nb::cast<double>(state[3])};
      });
}

void bind_posterior(nb::module_& module) {
  nb::class_<Posterior>(
      module, "Posterior",
      "Posterior of the last layer. A posterior is the next prior: condition(posterior, ...).")
      .def_prop_ro(
          "mean", [](const Posterior& self) { return from_matrix(self.mean()); }, "(p, d)")
      .def_prop_ro(
          "column_covariance",
          [](const Posterior& self) { return from_matrix(self.column_covariance().matrix()); }, "C: (d, d)")
      .def_prop_ro("log_evidence", &Posterior::log_evidence, "ln p of the samples of the last `condition`.")
      .def_prop_ro(
          "V", [](const Posterior& self) { return row_scale_if(self, self.noise_known()); },
          "Known noise covariance (p, p); None when it is unknown.")
      .def_prop_ro(
          "Psi", [](const Posterior& self) { return row_scale_if(self, !self.noise_known()); },
          "Scale (p, p) of V | Y ~ IW(Psi, nu); None when V is known.")
      .def_prop_ro("nu", &Posterior::nu, "nu + N; infinite when V is known.")
      .def_prop_ro("dof", &Posterior::dof, "Degrees of freedom of the predictive; infinite when V is known.")
      .def_prop_ro(
          "noise_covariance", [](const Posterior& self) { return from_matrix(self.noise_covariance()); },
          "V, or its posterior mean: (p, p)")
      .def_prop_ro(
          "residual_scatter", [](const Posterior& self) { return from_matrix(self.residual_scatter()); },
          "S_y|x of the last `condition`: (p, p)")
      .def_prop_ro("samples", &Posterior::samples, "Samples seen, over all updates.")
      .def("as_prior", &as_prior, "The posterior as a MatrixNormal or NormalInverseWishart.")
      .def("predict", &predict_posterior, nb::arg("Phi"), nb::arg("sigma") = nb::none(),
           "Predictive distribution at L new points: Phi (L, d), sigma (L,), a number, or None for 1.")
      .def("_predict_time", &predict_time, nb::arg("Phi"), nb::arg("sigma"), nb::arg("repeats"))
      .def("__getstate__", &posterior_state)
      .def("__setstate__", [](Posterior& self, const nb::tuple& state) {
        new (&self) Posterior(posterior_from_state(state));
      });
}

}  // namespace

void bind_bayes(nb::module_& module) {
  bind_priors(module);
  bind_posterior(module);
  bind_condition<NormalPrior>(module);
  bind_condition<WishartPrior>(module);
  bind_condition<Posterior>(module);
}

}  // namespace mbll::python
