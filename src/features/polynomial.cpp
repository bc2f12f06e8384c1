#include "mbll/features/polynomial.hpp"

#include <fmt/format.h>

#include <vector>

#include "mbll/error.hpp"

namespace mbll {
namespace {

constexpr double largest_count = 1e6;
constexpr int largest_exponent = 1000;

double count_monomials(Index inputs, int degree, bool cross_terms) {
  const auto q = static_cast<double>(inputs);
  if (!cross_terms) return q * degree;
  double count = 1;  // binomial(q + degree, degree), the constant included
  for (int t = 1; t <= degree && count <= 2 * largest_count; ++t) count *= (q + t) / t;
  return count - 1;
}

/// Appends all exponents of the inputs from `input` on that add up to `degree`; those before stand in
/// `current`.
void append_monomials(Index input, int degree, std::vector<int>& current,
                      std::vector<std::vector<int>>& columns) {
  if (input + 1 == std::ssize(current)) {
    current[input] = degree;
    columns.push_back(current);
    return;
  }
  for (int power = degree; power >= 0; --power) {
    current[input] = power;
    append_monomials(input + 1, degree - power, current, columns);
  }
}

void append_powers(int degree, std::vector<int>& current, std::vector<std::vector<int>>& columns) {
  for (int& exponent : current) {
    exponent = degree;
    columns.push_back(current);
    exponent = 0;
  }
}

}  // namespace

Polynomial Polynomial::of_degree(Index inputs, int degree, bool cross_terms) {
  check::require(inputs > 0, "inputs", fmt::format("is {}, expected at least 1", inputs));
  check::require(degree > 0 && degree <= largest_exponent, "degree",
                 fmt::format("is {}, expected 1 to {}", degree, largest_exponent));
  check::require(
      count_monomials(inputs, degree, cross_terms) <= largest_count, "degree",
      fmt::format(
          "{} inputs to degree {} give more than 10^6 features; leave out the cross terms or lower it",
          inputs, degree));
  std::vector<int> current(inputs, 0);
  std::vector<std::vector<int>> columns;
  for (int t = 1; t <= degree; ++t) {
    if (cross_terms)
      append_monomials(0, t, current, columns);
    else
      append_powers(t, current, columns);
  }
  Polynomial result{Exponents(inputs, std::ssize(columns))};
  for (Index k = 0; k < std::ssize(columns); ++k)
    result.exponents.col(k) = Eigen::Map<const Eigen::VectorXi>(columns[k].data(), inputs);
  return result;
}

void Polynomial::validate() const {
  for (const int exponent : exponents.reshaped())
    check::require(exponent >= 0 && exponent <= largest_exponent, "exponents",
                   fmt::format("{} found, expected 0 to {}", exponent, largest_exponent));
}

void Polynomial::map(const MatrixView& X, MatrixSpan Phi) const {
  // The inputs whose product is each monomial, x₁²x₃ as 0 0 2, one list behind the other: most exponents are
  // zero.
  std::vector<Index> factors;
  std::vector<Index> ends(features());
  for (Index k = 0; k < features(); ++k) {
    for (Index j = 0; j < inputs(); ++j) factors.insert(factors.end(), exponents(j, k), j);
    ends[k] = std::ssize(factors);
  }
  for (Index n = 0; n < X.cols(); ++n) {
    Index at = 0;
    for (Index k = 0; k < Phi.rows(); ++k) {
      double product = 1;
      for (; at < ends[k]; ++at) product *= X(factors[at], n);
      Phi(k, n) = product;
    }
  }
}

}  // namespace mbll
