#pragma once

#include <cstdint>
#include <type_traits>

#include "core/clones.hpp"

/// A vector register's worth of values as one value with the usual operators; GCC lowers it to what the
/// instruction set has.
namespace mbll::simd {

template <class Scalar>
struct RegisterOf {
  typedef Scalar type __attribute__((vector_size(32)));
  typedef Scalar in_memory __attribute__((vector_size(32), aligned(sizeof(Scalar)), may_alias));
};
template <class Scalar>
using Register = typename RegisterOf<Scalar>::type;
/// Integers of the scalar's size.
template <class Scalar>
using Bits = std::conditional_t<sizeof(Scalar) == 4, std::int32_t, std::int64_t>;

template <class Scalar>
MBLL_INLINE Register<Scalar> load(const Scalar* from) {
  return *reinterpret_cast<const typename RegisterOf<Scalar>::in_memory*>(from);
}
template <class Scalar>
MBLL_INLINE void store(const Register<Scalar>& value, Scalar* to) {
  *reinterpret_cast<typename RegisterOf<Scalar>::in_memory*>(to) = value;
}

}  // namespace mbll::simd
