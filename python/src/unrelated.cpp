#include "mbll/bayes/unrelated.hpp"

#include <memory>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "data.hpp"
#include "prediction.hpp"

namespace mbll::python {
namespace {

/// The posterior is not of its prior's form, so what makes it the next prior is the prior and all data so
/// far.
struct Unrelated {
  UnrelatedPrior prior;
  Statistics data;
  UnrelatedPosterior posterior;
  double log_evidence;  ///< of the last samples

  static Unrelated first(UnrelatedPrior prior, Statistics data) {
    UnrelatedPosterior posterior(prior, data);
    const double log_evidence = posterior.log_evidence();
    return {std::move(prior), std::move(data), std::move(posterior), log_evidence};
  }
  /// Chain rule: ln p(new | old) = ln p(old, new) − ln p(old).
  [[nodiscard]] Unrelated next(const Statistics& more) const {
    Statistics all = data;
    all.merge(more);
    UnrelatedPosterior updated(prior, all);
    const double log_evidence = updated.log_evidence() - posterior.log_evidence();
    return {prior, std::move(all), std::move(updated), log_evidence};
  }
};

UnrelatedPrior unrelated_prior(const ArrayLike& M, const ArrayLike& V, const ArrayLike& K,
                               const ArrayLike& U) {
  Matrix mean = matrix_from(M, "M");
  const Index p = mean.rows();
  const Index d = mean.cols();
  UnrelatedPrior prior{std::move(mean), covariance_from(U, p, "U"), covariance_from(V, p, "V"),
                       covariance_from(K, d, "K")};
  prior.validate();
  return prior;
}

Prediction predict_unrelated(nb::handle_t<Unrelated> self, const ArrayLike& Phi, const ArrayLike& sigma) {
  const Unrelated& model = *nb::inst_ptr<Unrelated>(self);
  const Samples phi = features_from(Phi, "Phi", model.prior.M.cols());
  const Noise noise = noise_from(sigma, phi.count());
  Prediction result;
  {
    const auto d = static_cast<double>(model.prior.M.cols());
    const ReleaseWhenLong release(d * d * static_cast<double>(phi.count()));
    result.predictive =
        std::make_shared<UnrelatedPredictive>(model.posterior.predict(phi.view, noise.view()));
  }
  result.joint = [keep = nb::borrow(self), &model, phi, noise](const MatrixView& Y) {
    Statistics data(model.data.features(), model.data.outputs());
    data.add(phi.view, Y, noise.view());
    return model.next(data).log_evidence;
  };
  return result;
}

}  // namespace

void bind_unrelated(nb::module_& module) {
  nb::class_<Unrelated>(module, "UnrelatedPosterior",
                        "Posterior of the last layer when noise and prior do not share their row covariance.")
      .def_prop_ro(
          "mean", [](const Unrelated& self) { return from_matrix(self.posterior.mean()); }, "(p, d)")
      .def_ro("log_evidence", &Unrelated::log_evidence, "ln p of the samples of the last `condition`.")
      .def_prop_ro(
          "covariance", [](const Unrelated& self) { return from_matrix(self.posterior.covariance()); },
          "Of vec A, columns of A stacked: (pd, pd)")
      .def_prop_ro("samples", [](const Unrelated& self) { return self.data.samples(); })
      .def("predict", &predict_unrelated, nb::arg("Phi"), nb::arg("sigma") = nb::none(),
           "Predictive distribution at L new points: Phi (L, d), sigma (L,), a number, or None for 1.");
  module.def(
      "condition_unrelated",
      [](const ArrayLike& M, const ArrayLike& V, const ArrayLike& K, const ArrayLike& U, const ArrayLike& Phi,
         const ArrayLike& Y, const ArrayLike& sigma, int threads) {
        UnrelatedPrior prior = unrelated_prior(M, V, K, U);
        Statistics data = statistics_of(prior.M.cols(), prior.M.rows(), Phi, Y, sigma, threads);
        const nb::gil_scoped_release release;
        return Unrelated::first(std::move(prior), std::move(data));
      },
      nb::arg("M"), nb::arg("V"), nb::arg("K"), nb::arg("U"), nb::arg("Phi"), nb::arg("Y"),
      nb::arg("sigma") = nb::none(), nb::kw_only(), nb::arg("threads") = 0,
      "Posterior for noise covariance U unrelated to the prior MN(M, V, K).");
  module.def(
      "condition",
      [](const Unrelated& prior, const ArrayLike& Phi, const ArrayLike& Y, const ArrayLike& sigma,
         int threads) {
        const Statistics data =
            statistics_of(prior.data.features(), prior.data.outputs(), Phi, Y, sigma, threads);
        const nb::gil_scoped_release release;
        return prior.next(data);
      },
      nb::arg("prior"), nb::arg("Phi"), nb::arg("Y"), nb::arg("sigma") = nb::none(), nb::kw_only(),
      nb::arg("threads") = 0);
}

}  // namespace mbll::python
