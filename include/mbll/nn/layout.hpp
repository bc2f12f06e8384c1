#pragma once

#include <vector>

#include "mbll/core.hpp"
#include "mbll/nn/spec.hpp"

namespace mbll::nn {

/// Where each weight stands in a network's parameter vector. Weights come first, then biases, so that weight
/// decay reaches one range. Columns are padded with zeros to whole vector registers (`lanes` values): inner
/// loops then have no rest. Padding stays zero in training, because its gradient is.
class ParameterLayout {
 public:
  struct Layer {
    Index rows, columns;  ///< W is rows×columns
    Index stride;         ///< rows, padded
    Index weights, bias;  ///< offsets; the bias has `stride` entries
  };
  /// A range of the vector.
  struct Range {
    Index begin, size;
  };
  /// A column of the unpadded parameters and where it stands.
  struct Column {
    Index offset, size;
  };

  ParameterLayout() = default;
  ParameterLayout(const NetworkSpec& spec, Index lanes);

  [[nodiscard]] const std::vector<Layer>& hidden() const { return hidden_; }
  [[nodiscard]] Index inputs() const { return hidden_.front().columns; }
  [[nodiscard]] Index features() const { return hidden_.back().rows; }
  [[nodiscard]] Index feature_stride() const { return hidden_.back().stride; }
  [[nodiscard]] Index outputs() const { return outputs_; }
  /// Rows of the heads' product: p, and one more with a variance head.
  [[nodiscard]] Index heads() const { return outputs_ + (variance_head_ ? 1 : 0); }
  [[nodiscard]] Index head_stride() const { return head_stride_; }
  [[nodiscard]] bool variance_head() const { return variance_head_; }
  /// Head weights, feature_stride()×heads(): one column per output, ln σ² last.
  [[nodiscard]] Index head_weights() const { return head_weights_; }
  /// p biases of the mean, then the bias of ln σ² or its constant.
  [[nodiscard]] Index head_bias() const { return head_bias_; }
  [[nodiscard]] Index log_variance_bias() const { return head_bias_ + outputs_; }

  [[nodiscard]] Index size() const { return size_; }              ///< with padding
  [[nodiscard]] Index parameter_count() const { return count_; }  ///< without
  /// Widest layer, inputs included.
  [[nodiscard]] Index widest() const { return widest_; }

  [[nodiscard]] Range backbone_weights() const { return {0, head_weights_}; }
  [[nodiscard]] Range mean_weights() const { return {head_weights_, feature_stride() * outputs_}; }
  [[nodiscard]] Range log_variance_weights() const {
    return {head_weights_ + feature_stride() * outputs_, variance_head_ ? feature_stride() : 0};
  }
  [[nodiscard]] Range backbone_biases() const {
    return {hidden_.front().bias, head_bias_ - hidden_.front().bias};
  }
  [[nodiscard]] Range mean_bias() const { return {head_bias_, outputs_}; }
  [[nodiscard]] Range log_variance_constant() const { return {log_variance_bias(), 1}; }

  /// Every column of parameters in the order in which they are saved.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

 private:
  std::vector<Layer> hidden_;
  std::vector<Column> columns_;
  Index outputs_ = 0, head_stride_ = 0, head_weights_ = 0, head_bias_ = 0, size_ = 0, count_ = 0, widest_ = 0;
  bool variance_head_ = false;
};

}  // namespace mbll::nn
