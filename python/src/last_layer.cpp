#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "mbll/bayes/posterior.hpp"
#include "mbll/bayes/statistics.hpp"
#include "mbll/error.hpp"
#include "prediction.hpp"

/// What BayesianLastLayer does with all samples: append the constant 1, standardise the outputs. The features
/// are never copied as a whole.
namespace mbll::python {
namespace {

struct OutputUnits {
  Vector shift;  ///< p
  Vector scale;  ///< p, > 0

  OutputUnits(nb::handle shift_values, nb::handle scale_values, Index outputs)
      : shift(vector_from(shift_values, "shift")), scale(vector_from(scale_values, "scale")) {
    check::size("shift", shift, outputs);
    check::size("scale", scale, outputs);
    check::positive("scale", scale);
  }
  [[nodiscard]] Matrix standardise(const MatrixView& Y) const {
    return scale.cwiseInverse().asDiagonal() * (Y.colwise() - shift);
  }
};

/// [φ; 1], or φ.
void copy_features(const MatrixView& Phi, MatrixSpan out) {
  out.topRows(Phi.rows()) = Phi;
  if (out.rows() > Phi.rows()) out.bottomRows(1).setOnes();
}

Statistics statistics(const ArrayLike& Phi, const ArrayLike& Y, const ArrayLike& sigma,
                      const ArrayLike& shift, const ArrayLike& scale, bool intercept, int threads) {
  const Samples features = features_from(Phi, "features");
  const Samples outputs = outputs_from(Y, "Y", features.count());
  const Noise noise = noise_from(sigma, features.count());
  const std::optional<double> same_noise = number_from(sigma);
  const OutputUnits units(shift, scale, outputs.view.rows());
  const Index d = features.view.rows();
  const Index p = outputs.view.rows();
  const Index constants = intercept ? 1 : 0;
  const nb::gil_scoped_release release;
  try {
    // The constant stands between features and outputs: here it counts as an output, so that the features are
    // read where they are.
    Matrix others = Matrix::Ones(constants + p, features.count());
    others.bottomRows(p) = units.standardise(outputs.view);
    Statistics stacked(d, constants + p, {.threads = threads});
    if (same_noise) {
      check::positive("sigma", *same_noise);
      stacked.add(features.view, others);
    } else {
      stacked.add(features.view, others, noise.view());
    }
    const Statistics result =
        Statistics::from_parts(d + constants, p, stacked.root(), stacked.samples(), stacked.gram_samples(),
                               stacked.log_noise(), {.threads = threads});
    return same_noise ? result.with_noise_scaled(*same_noise) : result;
  } catch (const InvalidArgument&) {
    // In the caller's words, where it is one of these; they cost nothing while all is well.
    check::finite("features", features.view);
    check::finite("Y", outputs.view);
    throw;
  }
}

SharedPredictive predict_blocks(const Posterior& posterior, const Columns& Phi, const Entries& sigma) {
  constexpr Index block_points = 1024;
  Matrix mean(posterior.outputs(), Phi.cols());
  Vector epistemic(Phi.cols());
  Matrix block(posterior.features(), std::min(block_points, Phi.cols()));
  for (Index first = 0; first < Phi.cols(); first += block_points) {
    const Index count = std::min(block_points, Phi.cols() - first);
    copy_features(Phi.middleCols(first, count), block.leftCols(count));
    posterior.predict_into(block.leftCols(count), mean.middleCols(first, count),
                           epistemic.segment(first, count));
  }
  const Covariance scale =
      posterior.noise_known() ? posterior.row_scale() : posterior.row_scale().scaled(1 / posterior.dof());
  return SharedPredictive::from_scale(std::move(mean), sigma.array().square(), std::move(epistemic), scale,
                                      posterior.dof());
}

Prediction predict_layer(nb::handle_t<Posterior> self, const ArrayLike& Phi, const ArrayLike& sigma,
                         const ArrayLike& shift, const ArrayLike& scale, bool intercept, bool flat) {
  const Posterior& posterior = *nb::inst_ptr<Posterior>(self);
  const Samples features = features_from(Phi, "features", posterior.features() - (intercept ? 1 : 0));
  const Noise noise = noise_from(sigma, features.count());
  const OutputUnits units(shift, scale, posterior.outputs());
  check::finite("features", features.view);
  check::positive("sigma", noise.view());
  Prediction result;
  result.flat = flat;
  {
    const auto d = static_cast<double>(posterior.features());
    const ReleaseWhenLong release(d * d * static_cast<double>(features.count()));
    result.predictive =
        predict_blocks(posterior, features.view, noise.view()).rescaled(units.scale, units.shift);
  }
  result.joint = [keep = nb::borrow(self), &posterior, features, noise, units](const MatrixView& Y) {
    const Index L = features.count();
    const auto block = [&](Index first, MatrixSpan phi, MatrixSpan y, VectorSpan s) {
      copy_features(features.view.middleCols(first, phi.cols()), phi);
      y = units.standardise(Y.middleCols(first, y.cols()));
      s = noise.view().segment(first, s.size());
    };
    const Statistics data = accumulate(posterior.features(), posterior.outputs(), L, block);
    return condition(posterior, data).log_evidence() -
           static_cast<double>(L) * units.scale.array().log().sum();
  };
  return result;
}

}  // namespace

void bind_last_layer(nb::module_& module) {
  module.def(
      "_to_numpy",
      [](const ArrayLike& value, const std::string& name) { return to_numpy(value, name.c_str()); },
      nb::arg("value"), nb::arg("name"));
  module.def("_last_layer_statistics", &statistics, nb::arg("features"), nb::arg("Y"), nb::arg("sigma"),
             nb::arg("shift"), nb::arg("scale"), nb::arg("intercept"), nb::arg("threads"));
  module.def("_last_layer_predict", &predict_layer, nb::arg("posterior"), nb::arg("features"),
             nb::arg("sigma"), nb::arg("shift"), nb::arg("scale"), nb::arg("intercept"), nb::arg("flat"));
}

}  // namespace mbll::python
