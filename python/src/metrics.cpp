#include "mbll/metrics/metrics.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "prediction.hpp"

namespace mbll::python {
namespace {

Samples known(const Prediction& prediction, const ArrayLike& Y) {
  return outputs_from(Y, "y", prediction.predictive->points(), prediction.predictive->outputs());
}

using Joint = double (*)(const Predictive&, const MatrixView&);
using PerOutput = Vector (*)(const Predictive&, const MatrixView&);

void bind_joint(nb::module_& module, const char* name, Joint metric) {
  module.def(
      name,
      [metric](const Prediction& prediction, const ArrayLike& Y) {
        const Samples y = known(prediction, Y);
        const nb::gil_scoped_release release;
        return metric(*prediction.predictive, y.view);
      },
      nb::arg("prediction"), nb::arg("y"));
}

void bind_per_output(nb::module_& module, const char* name, PerOutput metric) {
  module.def(
      name,
      [metric](const Prediction& prediction, const ArrayLike& Y) {
        const Samples y = known(prediction, Y);
        Vector result;
        {
          const nb::gil_scoped_release release;
          result = metric(*prediction.predictive, y.view);
        }
        return from_vector(std::move(result));
      },
      nb::arg("prediction"), nb::arg("y"));
}

}  // namespace

void bind_metrics(nb::module_& module) {
  nb::module_ metrics = module.def_submodule("_metrics", "The library's metrics; `mbll.metrics` wraps them.");
  bind_joint(metrics, "rmse", rmse);
  bind_joint(metrics, "nll", nll);
  bind_joint(metrics, "ece", ece);
  bind_per_output(metrics, "output_rmse", output_rmse);
  bind_per_output(metrics, "output_nll", output_nll);
  bind_per_output(metrics, "output_crps", output_crps);
  metrics.def(
      "pit",
      [](const Prediction& prediction, const ArrayLike& Y) {
        return from_samples(pit(*prediction.predictive, known(prediction, Y).view), prediction.flat);
      },
      nb::arg("prediction"), nb::arg("y"));
  metrics.def("output_sharpness", [](const Prediction& prediction) {
    return from_vector(output_sharpness(*prediction.predictive));
  });
  metrics.def(
      "output_interval_score",
      [](const Prediction& prediction, const ArrayLike& Y, double level) {
        return from_vector(output_interval_score(*prediction.predictive, known(prediction, Y).view, level));
      },
      nb::arg("prediction"), nb::arg("y"), nb::arg("level"));
  metrics.def(
      "calibration_curve",
      [](const Prediction& prediction, const ArrayLike& Y, const ArrayLike& levels) {
        const Samples y = known(prediction, Y);
        const Vector at = vector_from(levels, "levels");
        CalibrationCurve curve = calibration_curve(*prediction.predictive, y.view, at);
        return nb::make_tuple(from_vector(std::move(curve.joint)), from_samples(std::move(curve.marginal)));
      },
      nb::arg("prediction"), nb::arg("y"), nb::arg("levels"),
      "Share of samples inside the regions of these levels: joint (m,), per output (m, p).");
}

}  // namespace mbll::python
