#include <gtest/gtest.h>

#include "mbll/em/em.hpp"
#include "support/golden.hpp"

namespace mbll {
namespace {

/// One EM step of every scheme against 60-digit arithmetic.
class GoldenStep : public testing::TestWithParam<golden::Case> {
 protected:
  GoldenStep()
      : c(GetParam()),
        M(c.matrix("M")),
        K(Covariance::from_matrix(c.matrix("K"), "K")),
        V(Covariance::from_matrix(c.matrix("V"), "V")),
        Psi(Covariance::from_matrix(c.matrix("Psi"), "Psi")),
        data(M.cols(), M.rows()) {
    data.add(c.matrix("Phi"), c.matrix("Y"), c.vector("sigma"));
  }

  /// From the values as they are: a full structure does not change them, and one step leaves the structured
  /// update.
  [[nodiscard]] EmOptions options(const char* structure) const {
    EmOptions o;
    o.column = column_structure_from_name(structure);
    o.max_steps = 1;
    o.accelerate = false;
    return o;
  }

  golden::Case c;
  Matrix M;
  Covariance K, V, Psi;
  Statistics data;
};
INSTANTIATE_TEST_SUITE_P(Em, GoldenStep, testing::ValuesIn(golden::load_full()), golden::case_name);

/// The golden updates start from a full K whatever the structure of the result, so the structured ones are
/// the full update brought into structure.
Matrix structured(const Matrix& K, const std::string& structure) {
  if (structure == "full") return K;
  const Vector diagonal = K.diagonal();
  if (structure == "diagonal") return diagonal.asDiagonal();
  return diagonal.mean() * Matrix::Identity(K.rows(), K.cols());
}

TEST_P(GoldenStep, ColumnCovariance) {
  for (const char* structure : {"full", "diagonal", "isotropic"}) {
    EmOptions o = options("full");
    const NormalPrior normal{M, V, K};
    const WishartPrior wishart{M, K, Psi, c.number("nu")};
    EXPECT_GOLDEN(structured(fit_em(normal, data, o).prior.K.matrix(), structure),
                  golden::to_matrix(c.expected["normal"]["K_update"][structure]), 1e-10);
    EXPECT_GOLDEN(structured(fit_em(wishart, data, o).prior.K.matrix(), structure),
                  golden::to_matrix(c.expected["t"]["K_update"][structure]), 1e-10);
    o.hyperprior = Hyperprior{c.matrix("hyper_scale"), c.number("hyper_dof")};
    EXPECT_GOLDEN(structured(fit_em(normal, data, o).prior.K.matrix(), structure),
                  golden::to_matrix(c.expected["normal"]["K_update_hyper_fixed_mean"][structure]), 1e-10);
    o.update_mean = true;
    const auto joint = fit_em(normal, data, o);
    EXPECT_GOLDEN(structured(joint.prior.K.matrix(), structure),
                  golden::to_matrix(c.expected["normal"]["K_update_hyper_joint"][structure]), 1e-10);
    EXPECT_GOLDEN(joint.prior.M, golden::to_matrix(c.expected["normal"]["posterior_mean"]), 1e-10);
  }
}

TEST_P(GoldenStep, RowScale) {
  for (const char* structure : {"full", "diagonal", "isotropic"}) {
    // Through a full Ψ: its update gives W up to a factor, and the structured updates are functions of W.
    EmOptions o = options("full");
    const auto result = fit_em(WishartPrior{M, K, Psi, c.number("nu")}, data, o);
    const double p = static_cast<double>(M.rows());
    const Matrix inverse = result.prior.Psi.precision();  // (cW)⁻¹
    Matrix expected = result.prior.Psi.matrix();
    if (std::string(structure) == "diagonal") expected = inverse.diagonal().cwiseInverse().asDiagonal();
    if (std::string(structure) == "isotropic")
      expected = p / inverse.trace() * Matrix::Identity(M.rows(), M.rows());
    EXPECT_GOLDEN(expected, golden::to_matrix(c.expected["t"]["Psi_update"][structure]), 1e-10);
  }
}

TEST_P(GoldenStep, NoiseVariance) {
  // The golden update replaces the given σ_i by one σ², so it is the update of a constant with the given σ_i
  // only in the E-step: tr(ẼᵀV⁻¹Ẽ + pΦᵀCΦ)/(pN) over unweighted samples.
  const Posterior posterior = condition(NormalPrior{M, V, K}, data);
  const Matrix residual = c.matrix("Y") - posterior.mean() * c.matrix("Phi");
  const Matrix spread = posterior.column_covariance().factor().transpose() * c.matrix("Phi");
  const double p = static_cast<double>(M.rows());
  const double direct = (V.whiten(residual).squaredNorm() + p * spread.squaredNorm()) /
                        (p * static_cast<double>(data.samples()));
  EXPECT_GOLDEN_NUMBER(direct, c.expected["normal"]["sigma2_update"].get<double>(), 1e-10);
}

}  // namespace
}  // namespace mbll
