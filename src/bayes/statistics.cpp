#include "mbll/bayes/statistics.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <utility>

#include "bayes/lapack.hpp"
#include "bayes/root_accumulation.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

[[noreturn]] void explain(const MatrixView& Phi, const MatrixView& Y, Index offset) {
  for (Index i = 0; i < Phi.cols(); ++i)
    for (const auto& [name, value] : {std::pair<const char*, const MatrixView&>{"Phi", Phi}, {"Y", Y}})
      for (Index row = 0; row < value.rows(); ++row)
        if (!std::isfinite(value(row, i)))
          throw InvalidArgument(fmt::format("{}: entry ({}, {}) is {}, expected finite numbers", name, row,
                                            offset + i, value(row, i)));
  throw InvalidArgument(fmt::format("sigma: so small that samples {} to {} divided by it overflow", offset,
                                    offset + Phi.cols() - 1));
}

/// Divides the samples in Z by their σ (at most 512 of them) and returns Σ ln σ². `offset` numbers them in
/// messages.
double scale_samples(const VectorView& sigma, Index offset, MatrixSpan Z) {
  // One logarithm per block: of the product of the mantissas (each in [½, 1), so 512 of them do not
  // underflow).
  double mantissas = 1;
  Index exponents = 0;
  for (Index i = 0; i < Z.cols(); ++i) {
    if (!(sigma(i) > 0) || !std::isfinite(sigma(i)))
      throw InvalidArgument(
          fmt::format("sigma: entry {} is {}, expected a finite number > 0", offset + i, sigma(i)));
    int exponent = 0;
    mantissas *= std::frexp(sigma(i), &exponent);
    exponents += exponent;
    if (sigma(i) != 1) Z.col(i) *= 1 / sigma(i);
  }
  return 2 * (std::log(mantissas) + static_cast<double>(exponents) * std::log(2.0));
}

/// The caller's matrices, read in place. `sigma` null: σ = 1.
class SamplesInMemory final : public ScaledSource {
 public:
  SamplesInMemory(const MatrixView& Phi, const MatrixView& Y, const VectorView* sigma)
      : Phi_(Phi), Y_(Y), sigma_(sigma) {}

  double load(Index first, MatrixSpan Z) const override {
    const Index count = Z.cols();
    Z.topRows(Phi_.rows()) = Phi_.middleCols(first, count);
    Z.bottomRows(Y_.rows()) = Y_.middleCols(first, count);
    return sigma_ == nullptr ? 0 : scale_samples(sigma_->segment(first, count), first, Z);
  }

  double add_outer_products(Index first, MatrixSpan Z, double beta, MatrixSpan G) const override {
    if (sigma_ != nullptr) return ScaledSource::add_outer_products(first, Z, beta, G);
    const Index d = Phi_.rows();
    const Index p = Y_.rows();
    const MatrixView Phi = Phi_.middleCols(first, Z.cols());
    const MatrixView Y = Y_.middleCols(first, Z.cols());
    lapack::add_outer_product(Phi, beta, G.topLeftCorner(d, d));
    lapack::add_product_transposed(Phi, Y, beta, G.topRightCorner(d, p));
    lapack::add_outer_product(Y, beta, G.bottomRightCorner(p, p));
    return 0;
  }

  [[noreturn]] void explain_non_finite(Index first, Index count) const override {
    explain(Phi_.middleCols(first, count), Y_.middleCols(first, count), first);
  }

 private:
  const MatrixView& Phi_;
  const MatrixView& Y_;
  const VectorView* sigma_;
};

/// Samples made on demand, one block at a time.
class SamplesOnDemand final : public ScaledSource {
 public:
  SamplesOnDemand(Index features, Index outputs, const BlockSource& source)
      : features_(features), outputs_(outputs), source_(source) {}

  double load(Index first, MatrixSpan Z) const override {
    Vector sigma = Vector::Ones(Z.cols());
    source_(first, Z.topRows(features_), Z.bottomRows(outputs_), sigma);
    return scale_samples(sigma, first, Z);
  }

  [[noreturn]] void explain_non_finite(Index first, Index count) const override {
    Matrix Phi(features_, count);
    Matrix Y(outputs_, count);
    Vector sigma = Vector::Ones(count);
    source_(first, Phi, Y, sigma);
    explain(Phi, Y, first);
  }

 private:
  Index features_;
  Index outputs_;
  const BlockSource& source_;
};

}  // namespace

Statistics::Statistics(Index features, Index outputs, StatisticsOptions options)
    : features_(features), outputs_(outputs), options_(options) {
  check::require(features > 0, "features", fmt::format("is {}, expected at least 1", features));
  check::require(outputs > 0, "outputs", fmt::format("is {}, expected at least 1", outputs));
  check::require(options.threads >= 0, "threads",
                 fmt::format("is {}, expected 0 (all cores) or more", options.threads));
  root_ = Matrix::Zero(features + outputs, features + outputs);
  rotations_ = Matrix::Zero(features + outputs, 3);
}

void Statistics::add(const MatrixView& Phi, const MatrixView& Y, const VectorView& sigma) {
  check::size("sigma", sigma, Phi.cols());
  add_in_memory(Phi, Y, &sigma);
}

void Statistics::add(const MatrixView& Phi, const MatrixView& Y) { add_in_memory(Phi, Y, nullptr); }

void Statistics::add_in_memory(const MatrixView& Phi, const MatrixView& Y, const VectorView* sigma) {
  check::shape("Phi", Phi, features_, Phi.cols());
  check::shape("Y", Y, outputs_, Phi.cols());
  RootPart part = accumulate_root(root_.rows(), Phi.cols(), SamplesInMemory(Phi, Y, sigma), options_);
  append(part.root, Phi.cols(), part.gram_samples, part.log_noise);
}

void Statistics::add_sample(const VectorView& phi, const VectorView& y, double sigma) {
  check::size("phi", phi, features_);
  check::size("y", y, outputs_);
  check::positive("sigma", sigma);
  auto z = rotations_.col(0);
  z.head(features_) = phi / sigma;
  z.tail(outputs_) = y / sigma;
  if (!z.allFinite()) {
    check::finite("phi", phi);
    check::finite("y", y);
    throw InvalidArgument(fmt::format("sigma: is {}, so small that phi or y divided by it overflow", sigma));
  }
  // Givens rotations of z into R, column by column: each column of R is read and written once.
  auto cosine = rotations_.col(1);
  auto sine = rotations_.col(2);
  for (Index j = 0; j < root_.cols(); ++j) {
    double below = z(j);
    for (Index i = 0; i < j; ++i) {
      const double above = root_(i, j);
      root_(i, j) = cosine(i) * above + sine(i) * below;
      below = cosine(i) * below - sine(i) * above;
    }
    const double length = std::hypot(root_(j, j), below);
    cosine(j) = length == 0 ? 1.0 : root_(j, j) / length;
    sine(j) = length == 0 ? 0.0 : below / length;
    root_(j, j) = length;
  }
  ++samples_;
  log_noise_ += 2 * std::log(sigma);
}

void Statistics::merge(const Statistics& other) {
  check::require(other.features_ == features_ && other.outputs_ == outputs_, "other",
                 fmt::format("has {} features and {} outputs, expected {} and {}", other.features_,
                             other.outputs_, features_, outputs_));
  Matrix root = other.root_;
  append(root, other.samples_, other.gram_samples_, other.log_noise_);
}

void Statistics::append(Matrix& root, Index samples, Index gram_samples, double log_noise) {
  if (samples_ == 0) {
    root_ = root;
  } else if (samples > 0) {
    lapack::QrWorkspace workspace;
    lapack::qr_merge(root_, root, workspace);
    lapack::make_diagonal_nonnegative(root_);
  }
  samples_ += samples;
  gram_samples_ += gram_samples;
  log_noise_ += log_noise;
}

Statistics Statistics::from_parts(Index features, Index outputs, Matrix root, Index samples,
                                  Index gram_samples, double log_noise, StatisticsOptions options) {
  Statistics result(features, outputs, options);
  check::shape("root", root, features + outputs, features + outputs);
  check::finite("root", root);
  check::require(root.isUpperTriangular(0), "root", "is not upper triangular");
  check::require(std::isfinite(log_noise), "log_noise", "is not finite");
  check::require(0 <= gram_samples && gram_samples <= samples, "samples",
                 fmt::format("are {}, {} of them by the Gram path", samples, gram_samples));
  result.root_ = std::move(root);
  result.samples_ = samples;
  result.gram_samples_ = gram_samples;
  result.log_noise_ = log_noise;
  return result;
}

Statistics Statistics::with_noise_scaled(double c) const {
  check::positive("c", c);
  Statistics result = *this;
  result.root_ /= c;
  result.log_noise_ += 2 * static_cast<double>(samples_) * std::log(c);
  return result;
}

Matrix Statistics::feature_gram() const { return feature_root().transpose() * feature_root(); }

Matrix Statistics::cross_gram() const { return cross_root().transpose() * feature_root(); }

Matrix Statistics::output_gram() const {
  const Matrix columns = root_.rightCols(outputs_);
  return columns.transpose() * columns;
}

Statistics accumulate(Index features, Index outputs, Index samples, const BlockSource& source,
                      StatisticsOptions options) {
  check::require(samples >= 0, "samples", fmt::format("is {}, expected 0 or more", samples));
  Statistics result(features, outputs, options);
  RootPart part =
      accumulate_root(features + outputs, samples, SamplesOnDemand(features, outputs, source), options);
  result.append(part.root, samples, part.gram_samples, part.log_noise);
  return result;
}

}  // namespace mbll
