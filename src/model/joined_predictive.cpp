#include "model/joined_predictive.hpp"

#include <algorithm>

namespace mbll {

template <class F>
Matrix JoinedPredictive::side_by_side(Index rows, F f) const {
  Matrix result(rows, points());
  Index first = 0;
  for (const auto& part : parts_) {
    result.middleCols(first, part->points()) = f(*part, first);
    first += part->points();
  }
  return result;
}

JoinedPredictive::JoinedPredictive(std::vector<std::shared_ptr<const Predictive>> parts)
    : parts_(std::move(parts)) {
  Index points = 0;
  for (const auto& part : parts_) points += part->points();
  mean_.resize(parts_.front()->outputs(), points);
  mean_ = side_by_side(mean_.rows(), [](const Predictive& part, Index) { return part.mean(); });
}

std::pair<const Predictive*, Index> JoinedPredictive::find(Index point) const {
  std::size_t at = 0;
  while (point >= parts_[at]->points()) point -= parts_[at++]->points();
  return {parts_[at].get(), point};
}

Matrix JoinedPredictive::aleatoric_covariance(Index point) const {
  const auto [part, at] = find(point);
  return part->aleatoric_covariance(at);
}

Matrix JoinedPredictive::epistemic_covariance(Index point) const {
  const auto [part, at] = find(point);
  return part->epistemic_covariance(at);
}

Matrix JoinedPredictive::aleatoric_variance() const {
  return side_by_side(outputs(), [](const Predictive& part, Index) { return part.aleatoric_variance(); });
}

Matrix JoinedPredictive::epistemic_variance() const {
  return side_by_side(outputs(), [](const Predictive& part, Index) { return part.epistemic_variance(); });
}

Covariance JoinedPredictive::total_factored(Index point) const {
  const auto [part, at] = find(point);
  return part->total_factored(at);
}

Vector JoinedPredictive::log_density(const MatrixView& Y) const {
  return side_by_side(1,
                      [&](const Predictive& part, Index first) -> Matrix {
                        return part.log_density(Y.middleCols(first, part.points())).transpose();
                      })
      .transpose();
}

Matrix JoinedPredictive::marginal_log_density(const MatrixView& Y) const {
  return side_by_side(outputs(), [&](const Predictive& part, Index first) {
    return part.marginal_log_density(Y.middleCols(first, part.points()));
  });
}

Matrix JoinedPredictive::cdf(const MatrixView& Y) const {
  return side_by_side(outputs(), [&](const Predictive& part, Index first) {
    return part.cdf(Y.middleCols(first, part.points()));
  });
}

Interval JoinedPredictive::interval(double level) const {
  return {side_by_side(outputs(), [&](const Predictive& part, Index) { return part.interval(level).lower; }),
          side_by_side(outputs(), [&](const Predictive& part, Index) { return part.interval(level).upper; })};
}

Vector JoinedPredictive::ellipsoid_level(const MatrixView& Y) const {
  return side_by_side(1,
                      [&](const Predictive& part, Index first) -> Matrix {
                        return part.ellipsoid_level(Y.middleCols(first, part.points())).transpose();
                      })
      .transpose();
}

Matrix JoinedPredictive::crps(const MatrixView& Y) const {
  return side_by_side(outputs(), [&](const Predictive& part, Index first) {
    return part.crps(Y.middleCols(first, part.points()));
  });
}

std::vector<Matrix> JoinedPredictive::sample(Index count, Rng& rng) const {
  std::vector<std::vector<Matrix>> drawn;
  for (const auto& part : parts_) drawn.push_back(part->sample(count, rng));
  std::vector<Matrix> result(static_cast<std::size_t>(count), Matrix(outputs(), points()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    Index first = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      result[i].middleCols(first, parts_[k]->points()) = drawn[k][i];
      first += parts_[k]->points();
    }
  }
  return result;
}

double JoinedPredictive::dof() const {
  double least = parts_.front()->dof();
  for (const auto& part : parts_) least = std::min(least, part->dof());
  return least;
}

std::unique_ptr<Predictive> JoinedPredictive::rescaled(const VectorView& scale,
                                                       const VectorView& shift) const {
  std::vector<std::shared_ptr<const Predictive>> parts;
  for (const auto& part : parts_) parts.push_back(part->rescaled(scale, shift));
  return std::make_unique<JoinedPredictive>(std::move(parts));
}

}  // namespace mbll
