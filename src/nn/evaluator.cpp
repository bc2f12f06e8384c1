#include "nn/evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "mbll/nn/kernels.hpp"

namespace mbll::nn {
namespace {

/// A double matrix as Scalar with padded columns.
template <class Scalar>
Array<Scalar> padded_copy(const Matrix& source, Index stride) {
  Array<Scalar> copy = Array<Scalar>::Zero(stride * source.cols());
  for (Index j = 0; j < source.cols(); ++j)
    copy.segment(j * stride, source.rows()) = source.col(j).template cast<Scalar>();
  return copy;
}

void append(std::vector<ParameterLayout::Range>& ranges, ParameterLayout::Range range) {
  if (range.size == 0) return;
  if (!ranges.empty() && ranges.back().begin + ranges.back().size == range.begin)
    ranges.back().size += range.size;
  else
    ranges.push_back(range);
}

}  // namespace

template <class Scalar>
LossEvaluator<Scalar>::LossEvaluator(const NetworkSpec& spec, const ParameterLayout& layout, const Loss& loss,
                                     Index capacity)
    : spec_(spec), layout_(layout) {
  const Index p = spec.outputs;
  const Index h = layout.features();
  const Index stride = kernels::padded<Scalar>(p);
  Matrix precision;
  if (const auto* last_layer = std::get_if<LastLayerLoss>(&loss)) {
    last_layer_ = true;
    precision = last_layer->precision;
    factor_columns_ = last_layer->factor.cols();
    const Matrix transposed = last_layer->factor.transpose();
    factor_ = padded_copy<Scalar>(transposed.leftCols(h), kernels::padded<Scalar>(factor_columns_));
    factor_offset_ = transposed.col(h).template cast<Scalar>();
    mean_ = padded_copy<Scalar>(last_layer->mean.leftCols(h), stride);
    mean_offset_ = last_layer->mean.col(h).template cast<Scalar>();
    spread_.resize(kernels::padded<Scalar>(factor_columns_) * capacity);
    predicted_.resize(stride * capacity);
    feature_part_.resize(layout.feature_stride() * capacity);
  } else {
    const auto& density = std::get<DensityLoss>(loss);
    precision = density.precision;
    beta_ = static_cast<Scalar>(density.beta);
    fixed_variance_ = density.fixed_variance;
  }
  if (precision.size() == 0) precision = Matrix::Identity(p, p);
  precision_ = padded_copy<Scalar>(precision, p);

  append(weights_, layout.backbone_weights());
  append(biases_, layout.backbone_biases());
  if (!last_layer_) {
    append(weights_, layout.mean_weights());
    append(biases_, layout.mean_bias());
  }
  if (!fixed_variance_) {
    append(weights_, layout.log_variance_weights());
    append(biases_, layout.log_variance_constant());
  }

  forward_.reserve(layout, capacity, true);
  backward_.reserve(layout, capacity);
  backward_.direct_features = last_layer_;
  targets_.resize(p * capacity);
  residual_.resize(p * capacity);
  residual_gradient_.setZero(stride * capacity);
  for (Array<Scalar>* values : {&log_variance_, &inverse_variance_, &weight_, &log_variance_gradient_})
    values->resize(capacity);
  scratch_.resize(kernels::scratch_size<Scalar>(std::max({layout.widest(), capacity, factor_columns_, p})));
}

template <class Scalar>
void LossEvaluator<Scalar>::load(const MatrixView& X, const MatrixView& Y, std::span<const Index> samples) {
  Scalar* input = forward_.input.data();
  Scalar* target = targets_.data();
  for (const Index sample : samples) {
    for (Index i = 0; i < X.rows(); ++i) *input++ = static_cast<Scalar>(X(i, sample));
    for (Index i = 0; i < Y.rows(); ++i) *target++ = static_cast<Scalar>(Y(i, sample));
  }
}

template <class Scalar>
void LossEvaluator<Scalar>::propagate(const Scalar* parameters, Index n, bool derivatives) {
  propagate_backbone(spec_, layout_, parameters, n, derivatives, forward_);
  propagate_heads(layout_, parameters, n, forward_);
  const Index stride = layout_.head_stride();
  for (Index j = 0; j < n; ++j)
    log_variance_[j] = spec_.variance_head ? forward_.heads[j * stride + spec_.outputs]
                                           : parameters[layout_.log_variance_bias()];
}

/// e = y − μ, or y − Âφ and Fᵀφ.
template <class Scalar>
void LossEvaluator<Scalar>::residuals(Index n) {
  const Index p = spec_.outputs;
  if (!last_layer_) {
    const Index stride = layout_.head_stride();
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < p; ++i)
        residual_[j * p + i] = targets_[j * p + i] - forward_.heads[j * stride + i];
    return;
  }
  const Index h = layout_.features();
  const Index stride = kernels::padded<Scalar>(p);
  const Index factor_stride = kernels::padded<Scalar>(factor_columns_);
  const kernels::RightFactor<Scalar> phi{forward_.activations.back().data(), 1, layout_.feature_stride()};
  kernels::multiply(p, n, h, {mean_.data(), stride}, phi, predicted_.data(), stride, scratch_.data());
  kernels::multiply(factor_columns_, n, h, {factor_.data(), factor_stride}, phi, spread_.data(),
                    factor_stride, scratch_.data());
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < p; ++i)
      residual_[j * p + i] = targets_[j * p + i] - predicted_[j * stride + i] - mean_offset_[i];
    spread_.segment(j * factor_stride, factor_columns_) += factor_offset_;
  }
}

template <class Scalar>
double LossEvaluator<Scalar>::weigh(Index n, bool gradients) {
  const Index p = spec_.outputs;
  const auto outputs = static_cast<Scalar>(p);
  const Index stride = kernels::padded<Scalar>(p);
  const Index factor_stride = kernels::padded<Scalar>(factor_columns_);
  const bool weighted = gradients && beta_ != 0;
  // one vectorised exponential for the whole batch
  inverse_variance_.head(n) = -log_variance_.head(n);
  kernels::exponential(n, inverse_variance_.data());
  if (weighted) {
    weight_.head(n) = beta_ * log_variance_.head(n);
    kernels::exponential(n, weight_.data());
  }
  const Scalar share = 1 / static_cast<Scalar>(n);
  double total = 0;
  for (Index j = 0; j < n; ++j) {
    const Scalar weight = weighted ? weight_[j] : Scalar(1);
    const Scalar scale = inverse_variance_[j] * weight * share;
    Scalar quadratic = 0;
    for (Index i = 0; i < p; ++i) {
      Scalar product = 0;
      for (Index k = 0; k < p; ++k) product += precision_[i * p + k] * residual_[j * p + k];
      quadratic += residual_[j * p + i] * product;
      residual_gradient_[j * stride + i] = -scale * product;
    }
    if (last_layer_) quadratic += outputs * spread_.segment(j * factor_stride, factor_columns_).squaredNorm();
    const Scalar scaled = inverse_variance_[j] * quadratic;
    total += static_cast<double>(weight * (outputs * log_variance_[j] + scaled));
    log_variance_gradient_[j] = fixed_variance_ ? Scalar(0) : weight * share * (outputs - scaled) / 2;
  }
  return total / (2 * static_cast<double>(n));
}

/// Hands the gradients to the heads: μ directly, or nothing when Â takes the mean head's place.
template <class Scalar>
void LossEvaluator<Scalar>::heads_backward(Index n, Scalar* gradient) {
  const Index p = spec_.outputs;
  const Index stride = layout_.head_stride();
  const Index residual_stride = kernels::padded<Scalar>(p);
  std::fill_n(gradient + layout_.head_bias(), p + 1, Scalar(0));
  for (Index j = 0; j < n; ++j) {
    Scalar* head = backward_.heads.data() + j * stride;
    if (!last_layer_)
      for (Index i = 0; i < p; ++i) {
        head[i] = residual_gradient_[j * residual_stride + i];
        gradient[layout_.head_bias() + i] += head[i];
      }
    if (spec_.variance_head) head[p] = log_variance_gradient_[j];
    gradient[layout_.log_variance_bias()] += log_variance_gradient_[j];
  }
}

/// ∂L/∂features = −Âᵀ σ⁻²We/n + p σ⁻² F Fᵀφ/n.
template <class Scalar>
void LossEvaluator<Scalar>::last_layer_backward(Index n) {
  const Index p = spec_.outputs;
  const Index h = layout_.features();
  const Index stride = kernels::padded<Scalar>(p);
  const Index factor_stride = kernels::padded<Scalar>(factor_columns_);
  const Index feature_stride = layout_.feature_stride();
  const Scalar share = static_cast<Scalar>(p) / static_cast<Scalar>(n);
  for (Index j = 0; j < n; ++j)
    spread_.segment(j * factor_stride, factor_columns_) *= share * inverse_variance_[j];
  kernels::multiply(h, n, p, {mean_.data(), stride, true}, {residual_gradient_.data(), 1, stride},
                    backward_.features.data(), feature_stride, scratch_.data());
  kernels::multiply(h, n, factor_columns_, {factor_.data(), factor_stride, true},
                    {spread_.data(), 1, factor_stride}, feature_part_.data(), feature_stride,
                    scratch_.data());
  backward_.features.head(feature_stride * n) += feature_part_.head(feature_stride * n);
}

template <class Scalar>
double LossEvaluator<Scalar>::loss(const Scalar* parameters, const MatrixView& X, const MatrixView& Y,
                                   std::span<const Index> samples) {
  const auto n = static_cast<Index>(samples.size());
  load(X, Y, samples);
  propagate(parameters, n, false);
  residuals(n);
  return weigh(n, false);
}

template <class Scalar>
double LossEvaluator<Scalar>::loss_and_gradient(const Scalar* parameters, const MatrixView& X,
                                                const MatrixView& Y, std::span<const Index> samples,
                                                Scalar* gradient) {
  const auto n = static_cast<Index>(samples.size());
  load(X, Y, samples);
  propagate(parameters, n, true);
  residuals(n);
  const double value = weigh(n, true);
  heads_backward(n, gradient);
  if (last_layer_) last_layer_backward(n);
  propagate_back(layout_, parameters, n, forward_, backward_, gradient);
  return value;
}

template <class Scalar>
double LossEvaluator<Scalar>::mean_loss(const Scalar* parameters, const MatrixView& X, const MatrixView& Y,
                                        std::span<const Index> samples) {
  const auto capacity = static_cast<std::size_t>(log_variance_.size());
  double total = 0;
  for (std::size_t first = 0; first < samples.size(); first += capacity) {
    const auto batch = samples.subspan(first, std::min(capacity, samples.size() - first));
    total += loss(parameters, X, Y, batch) * static_cast<double>(batch.size());
  }
  return total / static_cast<double>(samples.size());
}

template class LossEvaluator<float>;
template class LossEvaluator<double>;

}  // namespace mbll::nn
