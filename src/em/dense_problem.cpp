#include <cmath>

#include "bayes/lapack.hpp"
#include "em/problem.hpp"

namespace mbll::em {
namespace {

/// Rows B with BᵀB = H, for H positive semi-definite.
Matrix semidefinite_root(const Matrix& H) {
  const lapack::SymmetricEigen eigen = lapack::symmetric_eigen(H);
  return eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal() * eigen.Q.transpose();
}

double one_norm(const Matrix& A) { return A.cwiseAbs().colwise().sum().maxCoeff(); }

/// The updates (E3) to (E9) of docs/math.md for any structure, by one QR per step. Everything is computed
/// from roots, so that no sum of matrices has to be factorised.
class DenseProblem final : public Problem {
 public:
  DenseProblem(Parameters start, double nu, const Statistics& data, const EmOptions& options)
      : start_(std::move(start)),
        nu_(nu),
        wishart_(std::isfinite(nu)),
        data_(data),
        layout_(data.features(), data.outputs(), options, wishart_),
        full_(options.column == ColumnStructure::full),
        row_(options.row) {
    if (options.hyperprior) {
      nu_K_ = options.hyperprior->nu;
      H_diagonal_ = options.hyperprior->H.diagonal();
      H_root_ = semidefinite_root(options.hyperprior->H);
    } else {
      H_diagonal_ = Vector::Zero(data.features());
      H_root_ = Matrix::Zero(0, data.features());
    }
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  [[nodiscard]] Vector start() const override { return layout_.pack(start_); }
  [[nodiscard]] Parameters values(const Vector& theta) const override {
    return layout_.unpack(theta, start_);
  }

  [[nodiscard]] Evaluation evaluate(const Vector& theta) const override {
    const Parameters at = values(theta);
    const Posterior posterior = posterior_at(at);
    const Moments moments = expect(at, posterior);

    Evaluation result;
    result.next.resize(layout_.size());
    result.gradient.resize(layout_.size());
    update_column(at, posterior, moments, result);
    if (layout_.has_mean()) {
      layout_.mean(result.next) = posterior.mean().reshaped();
      // ∂Q/∂M = (V⁻¹)(Â − M)K⁻¹
      const Matrix by_mean = -at.K.solve((moments.Q.transpose() * moments.QF).transpose()).transpose();
      layout_.mean(result.gradient) = by_mean.reshaped();
    }
    if (layout_.has_noise()) update_noise(at, posterior, moments, result);
    if (wishart_) update_row(at, posterior, result);

    result.step.log_evidence = posterior.log_evidence();
    result.step.log_hyperprior = log_hyperprior(at);
    result.step.column_trace = at.K.trace();
    const Covariance& C = posterior.column_covariance();
    result.step.condition = std::pow(one_norm(C.factor()) * one_norm(C.inverse_factor()), 2);
    result.step.effective_parameters = moments.effective;
    result.step.noise_scale = at.noise_scale;
    return result;
  }

 private:
  /// What the M-step needs of the posterior.
  struct Moments {
    Matrix Q;           ///< p×p, QᵀQ = V⁻¹, or E[V⁻¹] = (ν' + N)(Ψ + S_y|x)⁻¹
    Matrix QF;          ///< p×d, Q(M − Â)
    Vector C_diagonal;  ///< d
    double effective;   ///< d − tr(K⁻¹C)
  };

  [[nodiscard]] Posterior posterior_at(const Parameters& at) const {
    const Statistics scaled = data_.with_noise_scaled(at.noise_scale);
    if (wishart_) return condition(WishartPrior{at.M, at.K, at.Psi, nu_}, scaled);
    return condition(NormalPrior{at.M, at.Psi, at.K}, scaled);
  }

  [[nodiscard]] double dof_prime() const { return nu_ - static_cast<double>(data_.outputs()) - 1; }

  [[nodiscard]] Moments expect(const Parameters& at, const Posterior& posterior) const {
    Moments moments;
    moments.Q = posterior.row_scale().inverse_factor();
    if (wishart_) moments.Q *= std::sqrt(dof_prime() + static_cast<double>(data_.samples()));
    moments.QF = moments.Q * (at.M - posterior.mean());
    const Covariance& C = posterior.column_covariance();
    moments.C_diagonal = C.diagonal();
    const double prior_share = full_ ? at.K.whiten(C.factor()).squaredNorm()
                                     : moments.C_diagonal.cwiseQuotient(at.K.diagonal()).sum();
    moments.effective = std::max(0.0, static_cast<double>(data_.features()) - prior_share);
    return moments;
  }

  /// K = (pC + FᵀV⁻¹F + H)/(p + ν_K), in its structure; F = 0 when M moves along.
  void update_column(const Parameters& at, const Posterior& posterior, const Moments& moments,
                     Evaluation& result) const {
    const auto p = static_cast<double>(data_.outputs());
    const double weight = p + nu_K_;
    if (full_) {
      const Index d = data_.features();
      const Index outputs = layout_.has_mean() ? 0 : data_.outputs();
      Matrix B(d + outputs + H_root_.rows(), d);
      B << std::sqrt(p) * posterior.column_covariance().factor().transpose(), moments.QF.topRows(outputs),
          H_root_;
      layout_.column(result.next) = pack_cholesky(lower_root(B / std::sqrt(weight)));

      Matrix all(d + data_.outputs() + H_root_.rows(), d);
      all << std::sqrt(p) * posterior.column_covariance().factor().transpose(), moments.QF, H_root_;
      const Matrix white = all * at.K.inverse_factor().transpose();  // rows whitened by the current K
      Matrix excess = white.transpose() * white;
      excess.diagonal().array() -= weight;
      const Matrix G = 0.5 * at.K.inverse_factor().transpose() * excess * at.K.inverse_factor();
      layout_.column(result.gradient) = cholesky_gradient(G, at.K.factor());
      return;
    }
    const Vector spread = p * moments.C_diagonal + H_diagonal_;
    const Vector drift = moments.QF.colwise().squaredNorm();
    const Vector sums = layout_.block_sums(layout_.has_mean() ? spread : Vector(spread + drift));
    layout_.column(result.next) = (sums.array() / (weight * layout_.block_sizes().array())).log();
    const Vector ratio = (spread + drift).cwiseQuotient(at.K.diagonal());
    layout_.column(result.gradient) = 0.5 * (layout_.block_sums(ratio) - weight * layout_.block_sizes());
  }

  /// σ² = tr(ẼᵀV⁻¹Ẽ + pΦᵀCΦ)/(pN), with σᵢ at their given values.
  void update_noise(const Parameters& at, const Posterior& posterior, const Moments& moments,
                    Evaluation& result) const {
    const auto p = static_cast<double>(data_.outputs());
    const auto N = static_cast<double>(data_.samples());
    const Matrix fit = data_.cross_root() - data_.feature_root().triangularView<Eigen::Upper>() *
                                                posterior.mean().transpose();  // d×p
    const double residual = (fit * moments.Q.transpose()).squaredNorm() +
                            (data_.residual_root() * moments.Q.transpose()).squaredNorm();
    const double variance = at.noise_scale * at.noise_scale;
    const double sum = residual + p * variance * moments.effective;
    layout_.noise(result.next)(0) = sum > 0 && N > 0 ? std::log(sum / (p * N)) : 2 * std::log(at.noise_scale);
    layout_.noise(result.gradient)(0) = 0.5 * (sum / variance - p * N);
  }

  /// Ψ = ν'/(ν' + N) · W, W = Ψ + S_y|x; diagonal and isotropic through W⁻¹.
  void update_row(const Parameters& at, const Posterior& posterior, Evaluation& result) const {
    const Covariance& W = posterior.row_scale();
    const double total = dof_prime() + static_cast<double>(data_.samples());
    const double shrink = dof_prime() / total;
    const auto p = static_cast<double>(data_.outputs());
    const Vector inverse_diagonal = W.inverse_factor().colwise().squaredNorm();
    switch (row_) {
      case RowStructure::full: {
        layout_.row(result.next) = pack_cholesky(lower_root(std::sqrt(shrink) * W.factor().transpose()));
        const Matrix G = 0.5 * (dof_prime() * at.Psi.precision() - total * W.precision());
        layout_.row(result.gradient) = cholesky_gradient(G, at.Psi.factor());
        break;
      }
      case RowStructure::diagonal:
        layout_.row(result.next) = (shrink / inverse_diagonal.array()).log();
        layout_.row(result.gradient) =
            0.5 * (dof_prime() - total * at.Psi.diagonal().array() * inverse_diagonal.array());
        break;
      case RowStructure::isotropic:
        layout_.row(result.next)(0) = std::log(shrink * p / inverse_diagonal.sum());
        layout_.row(result.gradient)(0) =
            0.5 * (dof_prime() * p - total * at.Psi.diagonal()(0) * inverse_diagonal.sum());
        break;
    }
  }

  [[nodiscard]] double log_hyperprior(const Parameters& at) const {
    if (H_root_.rows() == 0) return 0;
    return -0.5 * (nu_K_ * at.K.log_determinant() + at.K.whiten(H_root_.transpose()).squaredNorm());
  }

  Parameters start_;
  double nu_;
  bool wishart_;
  Statistics data_;
  Layout layout_;
  bool full_;
  RowStructure row_;
  double nu_K_ = 0;
  Vector H_diagonal_;
  Matrix H_root_;
};

}  // namespace

std::unique_ptr<Problem> make_dense_problem(Parameters start, double nu, const Statistics& data,
                                            const EmOptions& options) {
  return std::make_unique<DenseProblem>(std::move(start), nu, data, options);
}

}  // namespace mbll::em
