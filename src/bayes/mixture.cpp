#include "mbll/bayes/mixture.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <utility>

#include "bayes/marginal.hpp"
#include "bayes/stacked_root.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

using Members = std::vector<std::shared_ptr<const Predictive>>;

Vector equal_weights(std::size_t count) { return Vector::Ones(static_cast<Index>(count)); }

/// One marginal of a mixture: weights, locations, scales and degrees of freedom of its components.
struct Components {
  Vector weight;
  Vector location;
  Vector scale;
  Vector dof;

  [[nodiscard]] double cdf(double y) const {
    double sum = 0;
    for (Index m = 0; m < weight.size(); ++m)
      sum += weight(m) * marginal::cdf((y - location(m)) / scale(m), dof(m));
    return sum;
  }

  /// Lower end of the central interval: x with F(x) = (1 − level)/2. It lies between the smallest and the
  /// largest of the components' own.
  [[nodiscard]] double lower_end(double level) const {
    const double probability = 0.5 * (1 - level);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (Index m = 0; m < weight.size(); ++m) {
      if (weight(m) == 0) continue;
      const double end = location(m) - scale(m) * marginal::central_quantile(level, dof(m));
      low = std::min(low, end);
      high = std::max(high, end);
    }
    // The search runs over u in x = center + width·sinh u: a member with few degrees of freedom can put an
    // end of the bracket anywhere up to infinity.
    const double center = location(0);
    const double width = scale.maxCoeff();
    const auto place = [&](double u) { return center + width * std::sinh(u); };
    const auto excess = [&](double u) { return cdf(place(u)) - probability; };
    const double left = std::asinh(std::max((low - center) / width, -1e300));
    const double right = std::asinh(std::min((high - center) / width, 1e300));
    const double below = excess(left);
    const double above = excess(right);
    if (below >= 0) return low;  // equal members bracket nothing but rounding errors
    if (above <= 0) return high;
    const double tolerance = 1e-12 * scale.minCoeff();
    const auto narrow = [&](double a, double b) {
      return place(b) - place(a) <= tolerance ||
             b - a <= 4 * std::numeric_limits<double>::epsilon() * std::abs(b);
    };
    std::uintmax_t steps = 200;
    const auto [a, b] = boost::math::tools::toms748_solve(excess, left, right, below, above, narrow, steps);
    return place(0.5 * (a + b));
  }

  /// The upper end by symmetry: subtracting a probability near 1 from 1 would lose its digits.
  [[nodiscard]] double upper_end(double level) const {
    return -Components{weight, -location, scale, dof}.lower_end(level);
  }

  /// E|N(mean, deviation²)|
  static double expected_absolute(double mean, double deviation) {
    const double z = mean / deviation;
    return 2 * deviation * std::exp(marginal::log_density(z, std::numeric_limits<double>::infinity())) +
           mean * std::erf(z / std::numbers::sqrt2);
  }

  [[nodiscard]] double gaussian_crps(double y) const {
    double sum = 0;
    for (Index m = 0; m < weight.size(); ++m) {
      sum += weight(m) * expected_absolute(y - location(m), scale(m));
      for (Index k = 0; k < weight.size(); ++k)
        sum -= 0.5 * weight(m) * weight(k) *
               expected_absolute(location(m) - location(k), std::hypot(scale(m), scale(k)));
    }
    return sum;
  }

  [[nodiscard]] double crps(double y) const {
    if (weight.size() == 1) return scale(0) * marginal::crps((y - location(0)) / scale(0), dof(0));
    if (std::isinf(dof.minCoeff())) return gaussian_crps(y);
    if (dof.minCoeff() <= 0.5) return std::numeric_limits<double>::infinity();
    // The width of the integrand on both sides of y: as far as the farthest member, at least one scale.
    const double width = (location.array() - y).abs().maxCoeff() + scale.maxCoeff();
    return marginal::crps_by_quadrature([this](double x) { return cdf(x); }, y, width);
  }
};

/// Scale of each marginal, p×L. Kept as such by t distributions; for Gaussians any interval shows it.
Matrix marginal_scale(const Predictive& predictive) {
  if (const auto* shared = dynamic_cast<const SharedPredictive*>(&predictive)) {
    const Vector output = shared->row_scale().diagonal().cwiseSqrt();
    const Vector point = (shared->aleatoric_factor() + shared->epistemic_factor()).cwiseSqrt();
    return output * point.transpose();
  }
  const double level = 0.5;
  const Interval interval = predictive.interval(level);
  return (interval.upper - interval.lower) / (2 * marginal::central_quantile(level, predictive.dof()));
}

Components marginal_of(const Members& members, const Vector& weights, const std::vector<Matrix>& scales,
                       Index output, Index point) {
  Components result{weights, weights, weights, weights};
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto at = static_cast<Index>(m);
    result.location(at) = members[m]->mean()(output, point);
    result.scale(at) = scales[m](output, point);
    result.dof(at) = members[m]->dof();
  }
  return result;
}

/// ln Σ_m w_m exp(values_m), entry by entry.
template <class Values>
Values log_sum_exp(const Vector& weights, const std::vector<Values>& values) {
  Values largest = values[0];
  for (const Values& value : values) largest = largest.cwiseMax(value);
  Values sum = Values::Zero(largest.rows(), largest.cols());
  for (std::size_t m = 0; m < values.size(); ++m)
    sum.array() += weights(static_cast<Index>(m)) * (values[m] - largest).array().unaryExpr([](double x) {
      return std::isnan(x) ? 1.0 : std::exp(x);  // −∞ − −∞: all members give density zero
    });
  return largest.array() + sum.array().log();
}

}  // namespace

MixturePredictive::MixturePredictive(const Members& members)
    : MixturePredictive(members, equal_weights(members.size())) {}

MixturePredictive::MixturePredictive(Members members, const VectorView& weights) {
  check::require(!members.empty(), "members", "is empty, expected at least one");
  check::size("weights", weights, static_cast<Index>(members.size()));
  check::finite("weights", weights);
  check::require(weights.minCoeff() >= 0 && weights.sum() > 0, "weights", "expected ≥ 0 with a positive sum");
  std::vector<double> flat_weights;
  for (std::size_t m = 0; m < members.size(); ++m) {
    check::require(members[m] != nullptr, "members", fmt::format("member {} is null", m));
    const double weight = weights(static_cast<Index>(m)) / weights.sum();
    if (const auto* mixture = dynamic_cast<const MixturePredictive*>(members[m].get())) {
      members_.insert(members_.end(), mixture->members_.begin(), mixture->members_.end());
      for (const double inner : mixture->weights_) flat_weights.push_back(weight * inner);
    } else {
      members_.push_back(members[m]);
      flat_weights.push_back(weight);
    }
  }
  weights_ = Eigen::Map<const Vector>(flat_weights.data(), static_cast<Index>(flat_weights.size()));
  mean_ = Matrix::Zero(members_[0]->outputs(), members_[0]->points());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    check::shape(fmt::format("members[{}]", m).c_str(), members_[m]->mean(), mean_.rows(), mean_.cols());
    mean_ += flat_weights[m] * members_[m]->mean();
    marginal_scale_.push_back(marginal_scale(*members_[m]));
  }
}

Matrix MixturePredictive::aleatoric_covariance(Index point) const {
  Matrix sum = Matrix::Zero(outputs(), outputs());
  for (std::size_t m = 0; m < members_.size(); ++m)
    sum += weights_(static_cast<Index>(m)) * members_[m]->aleatoric_covariance(point);
  return sum;
}

Matrix MixturePredictive::epistemic_covariance(Index point) const {
  Matrix sum = Matrix::Zero(outputs(), outputs());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Vector shift = members_[m]->mean().col(point) - mean_.col(point);
    sum += weights_(static_cast<Index>(m)) *
           (members_[m]->epistemic_covariance(point) + shift * shift.transpose());
  }
  return sum;
}

Matrix MixturePredictive::aleatoric_variance() const {
  Matrix sum = Matrix::Zero(outputs(), points());
  for (std::size_t m = 0; m < members_.size(); ++m)
    sum += weights_(static_cast<Index>(m)) * members_[m]->aleatoric_variance();
  return sum;
}

Matrix MixturePredictive::epistemic_variance() const {
  Matrix sum = Matrix::Zero(outputs(), points());
  for (std::size_t m = 0; m < members_.size(); ++m)
    sum += weights_(static_cast<Index>(m)) *
           (members_[m]->epistemic_variance() + (members_[m]->mean() - mean_).cwiseAbs2());
  return sum;
}

Covariance MixturePredictive::total_factored(Index point) const {
  Index heaviest = 0;
  weights_.maxCoeff(&heaviest);
  const Index p = outputs();
  Matrix others =
      Matrix::Zero(static_cast<Index>(members_.size()) * (p + 1), p);  // of all but the heaviest's own
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const auto at = static_cast<Index>(m);
    const double root = std::sqrt(weights_(at));
    others.row(at * (p + 1)) = root * (members_[m]->mean().col(point) - mean_.col(point)).transpose();
    if (at != heaviest && root > 0)
      others.middleRows(at * (p + 1) + 1, p) = root * members_[m]->total_factored(point).factor().transpose();
  }
  return add_scatter(
      members_[static_cast<std::size_t>(heaviest)]->total_factored(point).scaled(weights_(heaviest)), others);
}

Vector MixturePredictive::log_density(const MatrixView& Y) const {
  std::vector<Vector> values;
  for (const auto& member : members_) values.push_back(member->log_density(Y));
  return log_sum_exp(weights_, values);
}

Matrix MixturePredictive::marginal_log_density(const MatrixView& Y) const {
  std::vector<Matrix> values;
  for (const auto& member : members_) values.push_back(member->marginal_log_density(Y));
  return log_sum_exp(weights_, values);
}

Matrix MixturePredictive::cdf(const MatrixView& Y) const {
  Matrix sum = Matrix::Zero(outputs(), points());
  for (std::size_t m = 0; m < members_.size(); ++m)
    sum += weights_(static_cast<Index>(m)) * members_[m]->cdf(Y);
  return sum.cwiseMin(1.0);
}

Interval MixturePredictive::interval(double level) const {
  check::require(level > 0 && level < 1, "level", fmt::format("is {}, expected between 0 and 1", level));
  Interval result{mean_, mean_};
  for (Index l = 0; l < points(); ++l)
    for (Index j = 0; j < outputs(); ++j) {
      const Components components = marginal_of(members_, weights_, marginal_scale_, j, l);
      result.lower(j, l) = components.lower_end(level);
      result.upper(j, l) = components.upper_end(level);
    }
  return result;
}

Vector MixturePredictive::ellipsoid_level(const MatrixView& Y) const {
  if (outputs() == 1) return (2 * cdf(Y).transpose().array() - 1).abs();
  check::shape("Y", Y, outputs(), points());
  check::finite("Y", Y);
  const bool finite = dof() > 2;
  Vector result(points());
  for (Index l = 0; l < points(); ++l) {
    const double q = finite ? total_factored(l).whiten(Y.col(l) - mean_.col(l)).squaredNorm() : 0;
    result(l) =
        marginal::ellipsoid_level(q, static_cast<double>(outputs()), std::numeric_limits<double>::infinity());
  }
  return result;
}

Matrix MixturePredictive::crps(const MatrixView& Y) const {
  check::shape("Y", Y, outputs(), points());
  check::finite("Y", Y);
  Matrix result(outputs(), points());
  for (Index l = 0; l < points(); ++l)
    for (Index j = 0; j < outputs(); ++j)
      result(j, l) = marginal_of(members_, weights_, marginal_scale_, j, l).crps(Y(j, l));
  return result;
}

std::vector<Matrix> MixturePredictive::sample(Index count, Rng& rng) const {
  check::require(count >= 0, "count", fmt::format("is {}, expected 0 or more", count));
  std::discrete_distribution<std::size_t> choose(weights_.begin(), weights_.end());
  std::vector<Matrix> draws;
  for (Index draw = 0; draw < count; ++draw) {
    std::vector<Matrix> of_member;
    for (const auto& member : members_) of_member.push_back(member->sample(1, rng)[0]);
    Matrix y(outputs(), points());
    for (Index l = 0; l < points(); ++l) y.col(l) = of_member[choose(rng)].col(l);
    draws.push_back(std::move(y));
  }
  return draws;
}

double MixturePredictive::dof() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (const auto& member : members_) smallest = std::min(smallest, member->dof());
  return smallest;
}

std::unique_ptr<Predictive> MixturePredictive::rescaled(const VectorView& scale,
                                                        const VectorView& shift) const {
  Members members;
  for (const auto& member : members_) members.push_back(member->rescaled(scale, shift));
  return std::make_unique<MixturePredictive>(std::move(members), weights_);
}

}  // namespace mbll
