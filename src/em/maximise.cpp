#include "em/maximise.hpp"

#include <cmath>

namespace mbll::em {

Maximum maximise(const std::function<double(const Vector&, Vector&)>& f, const Vector& x,
                 double gradient_tolerance, int max_iterations) {
  constexpr double kLongestStep = 3;
  const Index n = x.size();
  Vector gradient(n);
  Maximum result{x, f(x, gradient), 0, false, {}};
  result.trace.push_back(result.value);
  Matrix inverse_hessian = Matrix::Identity(n, n) / std::max(1.0, gradient.norm());
  Vector next_gradient(n);
  int idle = 0;       // iterations in a row that gained nothing but rounding
  bool fresh = true;  // inverse_hessian is still the first guess
  while (result.iterations < max_iterations) {
    if (gradient.norm() <= gradient_tolerance || idle >= 3) {
      result.converged = true;
      break;
    }
    Vector direction = inverse_hessian * gradient;
    if (!(direction.dot(gradient) > 0)) direction = gradient;
    const double longest = direction.cwiseAbs().maxCoeff();
    if (longest > kLongestStep) direction *= kLongestStep / longest;

    const double slope = direction.dot(gradient);
    double length = 1;
    double next_value = result.value;
    Vector next_x;
    bool found = false;
    for (int attempt = 0; attempt < 40; ++attempt, length *= 0.4) {
      next_x = result.x + length * direction;
      next_value = f(next_x, next_gradient);
      if (std::isfinite(next_value) && next_value >= result.value + 1e-4 * length * slope) {
        found = true;
        break;
      }
    }
    if (!found) {
      if (!fresh) {  // the curvature estimate may be stale: once more along the gradient
        inverse_hessian = Matrix::Identity(n, n) / std::max(1.0, gradient.norm());
        fresh = true;
        ++result.iterations;
        continue;
      }
      result.converged = true;  // flat to rounding
      break;
    }
    // Variables that the function no longer depends on (k → 0) leave a gradient that vanishes only at
    // infinity.
    idle = next_value - result.value <= 1e-9 * (1 + std::abs(next_value)) ? idle + 1 : 0;
    const Vector s = next_x - result.x;
    const Vector y = gradient - next_gradient;  // of −f
    const double sy = s.dot(y);
    if (sy > 1e-12 * s.norm() * y.norm()) {
      if (fresh) inverse_hessian = Matrix::Identity(n, n) * (sy / y.squaredNorm());
      const Vector Hy = inverse_hessian * y;
      inverse_hessian += ((sy + y.dot(Hy)) / (sy * sy)) * (s * s.transpose()) -
                         (Hy * s.transpose() + s * Hy.transpose()) / sy;
      fresh = false;
    }
    result.x = next_x;
    result.value = next_value;
    gradient = next_gradient;
    ++result.iterations;
    result.trace.push_back(result.value);
  }
  return result;
}

}  // namespace mbll::em
