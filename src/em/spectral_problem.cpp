#include <cmath>
#include <numbers>

#include "bayes/lapack.hpp"
#include "bayes/marginal.hpp"
#include "em/problem.hpp"

namespace mbll::em {
namespace {

/// EM for K = kI in the basis in which ΦD⁻¹Φᵀ is diagonal (eqs. E12–E16). With R_xx = U diag(s) Wᵀ every
/// matrix of the E-step is diagonal there: a step costs O(d) with V known and M fixed, O(d p²) with V
/// unknown. When V is known the outputs are whitened once, so that V = I below. θ holds M in the rotated
/// coordinates.
class SpectralProblem final : public Problem {
 public:
  SpectralProblem(Parameters start, double nu, const Statistics& data, const EmOptions& options)
      : start_(std::move(start)),
        nu_(nu),
        wishart_(std::isfinite(nu)),
        samples_(static_cast<double>(data.samples())),
        log_noise_(data.log_noise()),
        layout_(data.features(), data.outputs(), options, wishart_),
        row_(options.row) {
    lapack::Svd svd = lapack::svd(data.feature_root());
    s_ = svd.s;
    s2_ = s_.cwiseAbs2();
    W_ = std::move(svd.W);
    B_ = svd.U.transpose() * data.cross_root();
    residual_ = data.residual_root();
    M_ = start_.M * W_;
    if (!wishart_) {
      const Matrix& P = start_.Psi.inverse_factor();
      B_ *= P.transpose();
      residual_ *= P.transpose();
      M_ = P * M_;
      log_det_V_ = start_.Psi.log_determinant();
    } else {
      const Index outputs = data.outputs();
      const double dof = nu_ - static_cast<double>(outputs) - 1;
      log_constant_ = -0.5 * samples_ * static_cast<double>(outputs) * std::log(std::numbers::pi);
      for (Index j = 0; j < outputs; ++j)
        log_constant_ += marginal::log_gamma_ratio(0.5 * (dof - static_cast<double>(j)), 0.5 * samples_);
    }
    E_ = B_ - s_.asDiagonal() * M_.transpose();
    if (options.hyperprior) {
      nu_K_ = options.hyperprior->nu;
      H_trace_ = options.hyperprior->H.trace();
      has_hyperprior_ = true;
    }
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  [[nodiscard]] Vector start() const override {
    Parameters rotated = start_;
    rotated.M = M_;
    return layout_.pack(rotated);
  }

  [[nodiscard]] Parameters values(const Vector& theta) const override {
    Parameters values = layout_.unpack(theta, start_);
    if (!layout_.has_mean()) return values;
    values.M = values.M * W_.transpose();
    if (!wishart_) values.M = start_.Psi.factor() * values.M;
    return values;
  }

  [[nodiscard]] Evaluation evaluate(const Vector& theta) const override {
    const auto p = static_cast<double>(B_.cols());
    const auto d = static_cast<double>(s_.size());
    const double k = std::exp(std::clamp(layout_.column(theta)(0), -kLogLimit, kLogLimit));
    const double variance = layout_.has_noise()
                                ? std::exp(std::clamp(layout_.noise(theta)(0), -kLogLimit, kLogLimit))
                                : start_.noise_scale * start_.noise_scale;
    Matrix moved;
    if (layout_.has_mean())
      moved = B_ - s_.asDiagonal() * layout_.mean(theta).reshaped(B_.cols(), s_.size()).transpose();
    const Matrix& E = layout_.has_mean() ? moved : E_;

    const Vector h = (variance + k * s2_.array()).inverse();  // C = diag(k σ² h)
    const double log_det_Omega =
        log_noise_ + samples_ * std::log(variance) + (k / variance * s2_.array()).log1p().sum();

    Evaluation result;
    result.next.resize(layout_.size());
    result.gradient.resize(layout_.size());
    Vector misfit;           // per direction ‖Q e_k‖²
    double residual_misfit;  // ‖Q R_yyᵀ‖²
    Matrix Q;                // empty: identity
    if (wishart_) {
      const RowPart row = update_row(theta, E, h, variance, result);
      Q = row.Q;
      misfit = (E * Q.transpose()).rowwise().squaredNorm();
      residual_misfit = (residual_ * Q.transpose()).squaredNorm();
      result.step.log_evidence = row.log_evidence - 0.5 * p * log_det_Omega;
    } else {
      misfit = E.rowwise().squaredNorm();
      residual_misfit = residual_.squaredNorm();
      const double quadratic = residual_misfit / variance + misfit.dot(h);
      result.step.log_evidence = -0.5 * (samples_ * p * std::log(2 * std::numbers::pi) +
                                         samples_ * log_det_V_ + p * log_det_Omega + quadratic);
    }

    const double C_trace = k * variance * h.sum();
    const Vector shift = k * s_.cwiseProduct(h);  // (Â − M)_k = shift_k e_k
    const double drift = misfit.dot(shift.cwiseAbs2());
    const double effective = (k * s2_.array() * h.array()).sum();
    const double weight = p + nu_K_;
    const double spread = p * C_trace + H_trace_;
    layout_.column(result.next)(0) = std::log((layout_.has_mean() ? spread : spread + drift) / (weight * d));
    layout_.column(result.gradient)(0) = 0.5 * ((spread + drift) / k - weight * d);
    if (layout_.has_mean()) {
      const Matrix next_M =
          layout_.mean(theta).reshaped(B_.cols(), s_.size()) + (shift.asDiagonal() * E).transpose();
      layout_.mean(result.next) = next_M.reshaped();
      const Matrix weighted = wishart_ ? Matrix(E * Q.transpose() * Q) : E;
      layout_.mean(result.gradient) = Matrix((shift.asDiagonal() * weighted).transpose() / k).reshaped();
    }
    if (layout_.has_noise()) {
      const double sum = residual_misfit + (variance * h).cwiseAbs2().dot(misfit) + p * variance * effective;
      layout_.noise(result.next)(0) =
          sum > 0 && samples_ > 0 ? std::log(sum / (p * samples_)) : std::log(variance);
      layout_.noise(result.gradient)(0) = 0.5 * (sum / variance - p * samples_);
    }

    if (!wishart_ && !layout_.has_mean() && layout_.has_noise())
      result.proposal = newton_proposal(k / variance, misfit, residual_misfit);

    result.step.log_hyperprior = has_hyperprior_ ? -0.5 * (nu_K_ * d * std::log(k) + H_trace_ / k) : 0.0;
    result.step.column_trace = k * d;
    result.step.condition = h.maxCoeff() / h.minCoeff();
    result.step.effective_parameters = effective;
    result.step.noise_scale = std::sqrt(variance);
    return result;
  }

 private:
  /// Newton's step in ln ρ, ρ = k/σ², on the objective with the best σ² for each ρ, which is a closed form
  /// (E16a).
  [[nodiscard]] Vector newton_proposal(double rho, const Vector& misfit, double residual_misfit) const {
    const auto p = static_cast<double>(B_.cols());
    const double hyper_weight = nu_K_ * static_cast<double>(s_.size());
    const double weight = p * samples_ + hyper_weight;
    const auto noise_share = [&](double ratio) { return (1 + ratio * s2_.array()).inverse(); };
    const auto total = [&](double ratio) {  // weight · σ²(ρ)
      return residual_misfit + misfit.dot(noise_share(ratio).matrix()) + H_trace_ / ratio;
    };
    const Eigen::ArrayXd w = noise_share(rho);
    const Eigen::ArrayXd uw = (1 - w) * w;  // −dw / d ln ρ
    const double Q = total(rho);
    const double first = (-misfit.dot(uw.matrix()) - H_trace_ / rho) / Q;
    const double second = (misfit.dot((uw * (1 - 2 * w)).matrix()) + H_trace_ / rho) / Q;
    // The slope is a difference of two positive terms. Newton's method on the difference of their logarithms
    // needs fewer steps than on the slope: both are close to powers of ρ.
    const double shrinkage = p * (1 - w).sum() + hyper_weight;
    const double gap = std::log(-weight * first / shrinkage);
    const double slope = second / first - first - p * uw.sum() / shrinkage;
    const double next = rho * std::exp(std::clamp(slope < 0 ? -gap / slope : gap, -3.0, 3.0));
    const double variance = total(next) / weight;
    Vector theta(layout_.size());
    layout_.column(theta)(0) = std::log(next * variance);
    layout_.noise(theta)(0) = std::log(variance);
    return theta;
  }

  struct RowPart {
    Matrix Q;             ///< QᵀQ = (ν' + N) W⁻¹
    double log_evidence;  ///< without −p/2 ln |Ω|
  };

  /// W = Ψ + S_y|x and the update of Ψ.
  RowPart update_row(const Vector& theta, const Matrix& E, const Vector& h, double variance,
                     Evaluation& result) const {
    const Index outputs = B_.cols();
    const auto p = static_cast<double>(outputs);
    const double dof = nu_ - p - 1;
    const double total = dof + samples_;
    const Matrix psi_L = psi_factor(theta);
    const Matrix residual = residual_ / std::sqrt(variance);
    const Matrix scaled = h.cwiseSqrt().asDiagonal() * E;
    Matrix W = psi_L * psi_L.transpose();
    W.noalias() += residual.transpose() * residual;
    W.noalias() += scaled.transpose() * scaled;
    const bool definite = lapack::cholesky_in_place(W);
    Matrix L = Matrix(W.triangularView<Eigen::Upper>()).transpose();
    if (!definite || !L.allFinite()) {
      // Outputs that are collinear to rounding: the same root without forming W.
      Matrix stack(psi_L.cols() + residual.rows() + scaled.rows(), outputs);
      stack << psi_L.transpose(), residual, scaled;
      L = lower_root(stack);
    }
    Matrix P = L;
    lapack::triangular_inverse_in_place(P, true);
    const double log_det_W = 2 * L.diagonal().array().log().sum();
    const double log_det_Psi = 2 * psi_L.diagonal().array().log().sum();
    const double shrink = dof / total;
    const Vector inverse_diagonal = P.colwise().squaredNorm();
    switch (row_) {
      case RowStructure::full: {
        layout_.row(result.next) = pack_cholesky(std::sqrt(shrink) * L);
        Matrix psi_P = psi_L;
        lapack::triangular_inverse_in_place(psi_P, true);
        const Matrix G = 0.5 * (dof * psi_P.transpose() * psi_P - total * P.transpose() * P);
        layout_.row(result.gradient) = cholesky_gradient(G, psi_L);
        break;
      }
      case RowStructure::diagonal:
        layout_.row(result.next) = (shrink / inverse_diagonal.array()).log();
        layout_.row(result.gradient) =
            0.5 * (dof - total * psi_L.diagonal().array().square() * inverse_diagonal.array());
        break;
      case RowStructure::isotropic:
        layout_.row(result.next)(0) = std::log(shrink * p / inverse_diagonal.sum());
        layout_.row(result.gradient)(0) =
            0.5 * (dof * p - total * psi_L(0, 0) * psi_L(0, 0) * inverse_diagonal.sum());
        break;
    }
    const double log_evidence = log_constant_ + 0.5 * dof * log_det_Psi - 0.5 * total * log_det_W;
    return {std::sqrt(total) * P, log_evidence};
  }

  [[nodiscard]] Matrix psi_factor(const Vector& theta) const {
    const Index outputs = B_.cols();
    const Vector entries = layout_.row(theta);
    if (row_ == RowStructure::full) return unpack_cholesky(entries, outputs);
    Matrix L = Matrix::Zero(outputs, outputs);
    for (Index j = 0; j < outputs; ++j)
      L(j, j) =
          std::exp(0.5 * std::clamp(entries(row_ == RowStructure::diagonal ? j : 0), -kLogLimit, kLogLimit));
    return L;
  }

  Parameters start_;
  double nu_;
  bool wishart_;
  double samples_;
  double log_noise_;
  Layout layout_;
  RowStructure row_;
  Vector s_, s2_;            ///< singular values of R_xx and their squares
  Matrix W_;                 ///< d×d, right singular vectors
  Matrix B_;                 ///< d×p, Uᵀ R_xy
  Matrix residual_;          ///< p×p, R_yy
  Matrix M_;                 ///< p×d, rotated
  Matrix E_;                 ///< d×p, B − diag(s) Mᵀ for the M of the start
  double log_det_V_ = 0;     ///< V known
  double log_constant_ = 0;  ///< V unknown: ln Γ_p((ν' + N)/2) − ln Γ_p(ν'/2) − Np/2 ln π
  double nu_K_ = 0;
  double H_trace_ = 0;
  bool has_hyperprior_ = false;
};

}  // namespace

std::unique_ptr<Problem> make_spectral_problem(Parameters start, double nu, const Statistics& data,
                                               const EmOptions& options) {
  return std::make_unique<SpectralProblem>(std::move(start), nu, data, options);
}

}  // namespace mbll::em
