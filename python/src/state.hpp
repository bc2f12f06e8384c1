#pragma once

#include "arrays.hpp"
#include "mbll/bayes/covariance.hpp"

/// Plain Python values of the library's parts, for pickling: the same bits come back.
namespace mbll::python {

inline nb::tuple state_of(const Covariance& covariance) {
  return nb::make_tuple(from_matrix(covariance.factor()), from_matrix(covariance.inverse_factor()),
                        covariance.is_lower());
}

inline Covariance covariance_from_state(nb::handle state) {
  return Covariance::from_parts(matrix_from(state[0], "state"), matrix_from(state[1], "state"),
                                nb::cast<bool>(state[2]));
}

}  // namespace mbll::python
