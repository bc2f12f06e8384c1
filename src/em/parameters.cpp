#include "em/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "bayes/lapack.hpp"

namespace mbll::em {
namespace {

Index triangle(Index n) { return n * (n + 1) / 2; }

double safe_exp(double x) { return std::exp(std::clamp(x, -kLogLimit, kLogLimit)); }

Vector safe_exp(const Vector& x) {
  return x.unaryExpr([](double value) { return safe_exp(value); });
}

Matrix lower_factor(const Covariance& S) {
  return S.is_lower() ? S.factor() : lower_root(S.factor().transpose());
}

double relative(double change, double size) { return size > 0 ? change / size : 0.0; }

}  // namespace

Vector pack_cholesky(const Matrix& L) {
  const Index n = L.rows();
  Vector entries(triangle(n));
  Index at = 0;
  for (Index j = 0; j < n; ++j) {
    entries(at++) = std::log(L(j, j));
    for (Index i = j + 1; i < n; ++i) entries(at++) = L(i, j);
  }
  return entries;
}

Matrix unpack_cholesky(const Vector& entries, Index n) {
  Matrix L = Matrix::Zero(n, n);
  Index at = 0;
  for (Index j = 0; j < n; ++j) {
    L(j, j) = safe_exp(entries(at++));
    for (Index i = j + 1; i < n; ++i) L(i, j) = entries(at++);
  }
  return L;
}

Vector cholesky_gradient(const Matrix& G, const Matrix& L) {
  const Matrix by_entry = 2 * (G * L);
  const Index n = L.rows();
  Vector gradient(triangle(n));
  Index at = 0;
  for (Index j = 0; j < n; ++j) {
    gradient(at++) = by_entry(j, j) * L(j, j);
    for (Index i = j + 1; i < n; ++i) gradient(at++) = by_entry(i, j);
  }
  return gradient;
}

Matrix lower_root(const Matrix& B) {
  const Index n = B.cols();
  Matrix work = Matrix::Zero(std::max(B.rows(), n), n);
  work.topRows(B.rows()) = B;
  lapack::qr_in_place(work);
  Matrix R = work.topRows(n).triangularView<Eigen::Upper>();
  // A zero on the diagonal means a direction without any variance; the smallest normal number keeps it a
  // valid model.
  const double floor = std::max(R.cwiseAbs().maxCoeff() * 1e-150, 1e-150);
  for (Index i = 0; i < n; ++i) {
    if (R(i, i) < 0) R.row(i) *= -1;
    R(i, i) = std::max(R(i, i), floor);
  }
  return R.transpose();
}

Layout::Layout(Index features, Index outputs, const EmOptions& options, bool wishart)
    : features_(features), outputs_(outputs), column_structure_(options.column), row_structure_(options.row) {
  mean_size_ = options.update_mean ? outputs * features : 0;
  noise_size_ = options.update_noise ? 1 : 0;
  switch (options.column) {
    case ColumnStructure::full:
      block_sizes_ = Vector();
      break;
    case ColumnStructure::diagonal:
      block_sizes_ = Vector::Ones(features);
      break;
    case ColumnStructure::isotropic:
      block_sizes_ = Vector::Constant(1, static_cast<double>(features));
      break;
    case ColumnStructure::blocks:
      block_sizes_ = Eigen::Map<const Eigen::Matrix<Index, Eigen::Dynamic, 1>>(
                         options.blocks.data(), static_cast<Index>(options.blocks.size()))
                         .cast<double>();
      break;
  }
  column_size_ = options.column == ColumnStructure::full ? triangle(features) : block_sizes_.size();
  row_size_ = 0;
  if (wishart) {
    switch (options.row) {
      case RowStructure::full:
        row_size_ = triangle(outputs);
        break;
      case RowStructure::diagonal:
        row_size_ = outputs;
        break;
      case RowStructure::isotropic:
        row_size_ = 1;
        break;
    }
  }
  size_ = mean_size_ + column_size_ + noise_size_ + row_size_;
}

Vector Layout::block_sums(const Vector& per_feature) const {
  if (column_structure_ == ColumnStructure::diagonal) return per_feature;
  Vector sums(block_sizes_.size());
  Index first = 0;
  for (Index b = 0; b < sums.size(); ++b) {
    const auto count = static_cast<Index>(block_sizes_(b));
    sums(b) = per_feature.segment(first, count).sum();
    first += count;
  }
  return sums;
}

Vector Layout::pack(const Parameters& values) const {
  Vector theta(size_);
  if (has_mean()) mean(theta) = values.M.reshaped();
  if (column_structure_ == ColumnStructure::full) {
    column(theta) = pack_cholesky(lower_factor(values.K));
  } else {
    column(theta) = (block_sums(values.K.diagonal()).array() / block_sizes_.array()).log();
  }
  if (has_noise()) noise(theta)(0) = 2 * std::log(values.noise_scale);
  if (row_size_ > 0) {
    switch (row_structure_) {
      case RowStructure::full:
        row(theta) = pack_cholesky(lower_factor(values.Psi));
        break;
      case RowStructure::diagonal:
        row(theta) = values.Psi.diagonal().array().log();
        break;
      case RowStructure::isotropic:
        row(theta)(0) = std::log(values.Psi.trace() / static_cast<double>(outputs_));
        break;
    }
  }
  return theta;
}

Parameters Layout::unpack(const Vector& theta, const Parameters& fixed) const {
  Parameters values = fixed;
  if (has_mean()) values.M = mean(theta).reshaped(outputs_, features_);
  if (column_structure_ == ColumnStructure::full) {
    values.K = Covariance::from_factor(unpack_cholesky(column(theta), features_));
  } else {
    const Vector factors = safe_exp(column(theta));
    Vector diagonal(features_);
    Index first = 0;
    for (Index b = 0; b < factors.size(); ++b) {
      const auto count = static_cast<Index>(block_sizes_(b));
      diagonal.segment(first, count).setConstant(factors(b));
      first += count;
    }
    values.K = Covariance::diagonal(diagonal, "K");
  }
  if (has_noise()) values.noise_scale = safe_exp(0.5 * noise(theta)(0));
  if (row_size_ > 0) {
    switch (row_structure_) {
      case RowStructure::full:
        values.Psi = Covariance::from_factor(unpack_cholesky(row(theta), outputs_));
        break;
      case RowStructure::diagonal:
        values.Psi = Covariance::diagonal(safe_exp(row(theta)), "Psi");
        break;
      case RowStructure::isotropic:
        values.Psi = Covariance::isotropic(outputs_, safe_exp(row(theta)(0)), "Psi");
        break;
    }
  }
  return values;
}

double Layout::relative_change(const Vector& from, const Vector& to) const {
  double largest = 0;
  if (has_mean()) largest = relative((mean(to) - mean(from)).norm(), mean(to).norm());
  const auto matrix_change = [](const Vector& a, const Vector& b, Index n) {
    const Matrix La = unpack_cholesky(a, n);
    const Matrix Lb = unpack_cholesky(b, n);
    const Matrix Sb = Lb * Lb.transpose();
    return relative((La * La.transpose() - Sb).norm(), Sb.norm());
  };
  const auto vector_change = [](const Vector& a, const Vector& b, const Vector& weights) {
    const Vector va = safe_exp(a);
    const Vector vb = safe_exp(b);
    const Vector root = weights.cwiseSqrt();
    return relative((va - vb).cwiseProduct(root).norm(), vb.cwiseProduct(root).norm());
  };
  largest = std::max(largest, column_structure_ == ColumnStructure::full
                                  ? matrix_change(column(from), column(to), features_)
                                  : vector_change(column(from), column(to), block_sizes_));
  if (has_noise()) largest = std::max(largest, std::abs(std::expm1(noise(to)(0) - noise(from)(0))));
  if (row_size_ > 0)
    largest = std::max(largest, row_structure_ == RowStructure::full
                                    ? matrix_change(row(from), row(to), outputs_)
                                    : vector_change(row(from), row(to), Vector::Ones(row_size_)));
  return largest;
}

}  // namespace mbll::em
