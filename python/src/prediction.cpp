#include "prediction.hpp"

#include <nanobind/stl/pair.h>

#include <cstdint>
#include <string>

#include "bindings.hpp"
#include "mbll/bayes/unrelated.hpp"
#include "mbll/error.hpp"

namespace mbll::python {
namespace {

/// Rough cost of a density, cdf or quantile of one value.
constexpr double kFlopsPerValue = 100;

double work(const Predictive& predictive) {
  return kFlopsPerValue * static_cast<double>(predictive.mean().size());
}

Samples outputs_of(const Prediction& self, const ArrayLike& Y) {
  return outputs_from(Y, "Y", self.predictive->points(), self.predictive->outputs());
}

/// (L, p, p) from one p×p matrix per point.
template <class AtPoint>
FloatArray covariances(const Predictive& predictive, AtPoint at_point) {
  const Index p = predictive.outputs();
  const Index L = predictive.points();
  Matrix all(p * p, L);
  {
    const ReleaseWhenLong release(work(predictive));
    for (Index l = 0; l < L; ++l) {
      const Matrix covariance = at_point(l);
      all.col(l) = covariance.reshaped();
    }
  }
  return reshaped(from_samples(std::move(all)), {L, p, p});
}

FloatArray sample(const Prediction& self, Index count, std::uint64_t seed) {
  check::require(count >= 0, "n", "is " + std::to_string(count) + ", expected 0 or more");
  const Index p = self.predictive->outputs();
  const Index L = self.predictive->points();
  Matrix all(p * L, count);
  {
    const ReleaseWhenLong release(work(*self.predictive) * static_cast<double>(count));
    Rng rng = make_rng(seed);
    const std::vector<Matrix> draws = self.predictive->sample(count, rng);
    for (Index i = 0; i < count; ++i) all.col(i) = draws[static_cast<std::size_t>(i)].reshaped();
  }
  const FloatArray array = from_samples(std::move(all));
  return self.flat ? array : reshaped(array, {count, L, p});
}

std::pair<FloatArray, FloatArray> interval(const Prediction& self, double level) {
  Interval result;
  {
    const ReleaseWhenLong release(work(*self.predictive));
    result = self.predictive->interval(level);
  }
  return {from_samples(std::move(result.lower), self.flat), from_samples(std::move(result.upper), self.flat)};
}

double log_prob_joint(const Prediction& self, const ArrayLike& Y) {
  if (!self.joint)
    throw InvalidArgument(
        "log_prob_joint: this model treats points one by one; use log_prob, or the posterior of a single "
        "layer");
  const Samples outputs = outputs_of(self, Y);
  check::finite("Y", outputs.view);
  const nb::gil_scoped_release release;
  return self.joint(outputs.view);
}

/// Independent Gaussians of the given mean and standard deviation.
Prediction normal(const ArrayLike& mean, const ArrayLike& std) {
  const Samples m = outputs_from(mean, "mean");
  const Samples s = outputs_from(std, "std", m.view.cols(), m.view.rows());
  check::finite("mean", m.view);
  check::positive("std", s.view.reshaped());
  // All of the variance as "noise" needs one σ² per point: half of the smallest, the rest on top of it.
  const Matrix variance = s.view.array().square();
  const Vector shared = 0.5 * variance.colwise().minCoeff().transpose();
  const Index p = m.view.rows();
  const Matrix identity = Matrix::Identity(p, p);
  Prediction result;
  result.predictive = std::make_shared<UnrelatedPredictive>(
      m.view, shared, variance.rowwise() - shared.transpose(), identity, identity);
  result.flat = m.array.ndim() == 1;
  return result;
}

}  // namespace

void bind_prediction(nb::module_& module) {
  nb::class_<Prediction>(
      module, "Prediction",
      "Predictive distribution at L points, p outputs each. Arrays are (L, p), or (L,) from an "
      "estimator that was fitted with a one-dimensional y.")
      .def("__len__", [](const Prediction& self) { return self.predictive->points(); })
      .def("__repr__",
           [](const Prediction& self) {
             return "<mbll.Prediction of " + std::to_string(self.predictive->outputs()) + " output(s) at " +
                    std::to_string(self.predictive->points()) + " point(s)>";
           })
      .def_prop_ro(
          "mean", [](const Prediction& self) { return from_samples(self.predictive->mean(), self.flat); },
          "(L, p)")
      .def_prop_ro(
          "std",
          [](const Prediction& self) {
            return from_samples(self.predictive->total_variance().cwiseSqrt(), self.flat);
          },
          "(L, p): square root of `total`")
      .def_prop_ro(
          "aleatoric",
          [](const Prediction& self) {
            return from_samples(self.predictive->aleatoric_variance(), self.flat);
          },
          "(L, p): variance of the noise")
      .def_prop_ro(
          "epistemic",
          [](const Prediction& self) {
            return from_samples(self.predictive->epistemic_variance(), self.flat);
          },
          "(L, p): variance that more data would remove")
      .def_prop_ro(
          "total",
          [](const Prediction& self) { return from_samples(self.predictive->total_variance(), self.flat); },
          "(L, p): aleatoric + epistemic")
      .def_prop_ro(
          "aleatoric_cov",
          [](const Prediction& self) {
            return covariances(*self.predictive,
                               [&](Index l) { return self.predictive->aleatoric_covariance(l); });
          },
          "(L, p, p)")
      .def_prop_ro(
          "epistemic_cov",
          [](const Prediction& self) {
            return covariances(*self.predictive,
                               [&](Index l) { return self.predictive->epistemic_covariance(l); });
          },
          "(L, p, p)")
      .def_prop_ro(
          "total_cov",
          [](const Prediction& self) {
            return covariances(*self.predictive,
                               [&](Index l) { return self.predictive->total_covariance(l); });
          },
          "(L, p, p)")
      .def_prop_ro(
          "dof", [](const Prediction& self) { return self.predictive->dof(); },
          "Degrees of freedom of the t distribution; infinite for Gaussians.")
      .def(
          "log_prob",
          [](const Prediction& self, const ArrayLike& Y) {
            const Samples outputs = outputs_of(self, Y);
            Vector result;
            {
              const ReleaseWhenLong release(work(*self.predictive));
              result = self.predictive->log_density(outputs.view);
            }
            return from_vector(std::move(result));
          },
          nb::arg("Y"), "ln p(y | data) per point, joint over the outputs: (L,)")
      .def("log_prob_joint", &log_prob_joint, nb::arg("Y"),
           "ln p(Y | data) of all points together. Reads the features again: it keeps the array that "
           "`predict` was "
           "given, not a copy.")
      .def(
          "cdf",
          [](const Prediction& self, const ArrayLike& Y) {
            const Samples outputs = outputs_of(self, Y);
            return from_samples(self.predictive->cdf(outputs.view), self.flat);
          },
          nb::arg("Y"), "(L, p): marginal probability of values below Y")
      .def("interval", &interval, nb::arg("level") = 0.95,
           "Central interval of each output's marginal: (lower, upper), each (L, p)")
      .def("sample", &sample, nb::arg("n") = 1, nb::arg("seed") = 0,
           "n draws, independent over points: (n, L, p)");
  module.def("normal", &normal, nb::arg("mean"), nb::arg("std"),
             "Independent Gaussians as a Prediction, for metrics of other people's models. mean, std: (L, p) "
             "or (L,)");
}

}  // namespace mbll::python
