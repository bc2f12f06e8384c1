#include "mbll/nn/layout.hpp"

#include <algorithm>

namespace mbll::nn {

ParameterLayout::ParameterLayout(const NetworkSpec& spec, Index lanes)
    : outputs_(spec.outputs), variance_head_(spec.variance_head) {
  spec.validate();
  const auto padded = [&](Index rows) { return (rows + lanes - 1) / lanes * lanes; };
  Index columns = spec.inputs;
  widest_ = spec.inputs;
  for (const Index width : spec.hidden) {
    hidden_.push_back({width, columns, padded(width), size_, 0});
    for (Index j = 0; j < columns; ++j) columns_.push_back({size_ + j * padded(width), width});
    size_ += padded(width) * columns;
    columns = width;
    widest_ = std::max(widest_, width);
  }
  head_weights_ = size_;
  for (Index j = 0; j < heads(); ++j) columns_.push_back({size_ + j * feature_stride(), features()});
  size_ += feature_stride() * heads();
  for (Layer& layer : hidden_) {
    layer.bias = size_;
    columns_.push_back({size_, layer.rows});
    size_ += layer.stride;
  }
  head_bias_ = size_;
  columns_.push_back({size_, outputs_ + 1});
  size_ += padded(outputs_ + 1);
  head_stride_ = padded(heads());
  for (const Column& column : columns_) count_ += column.size;
}

}  // namespace mbll::nn
