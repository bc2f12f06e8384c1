#include "mbll/core.hpp"

namespace mbll {
namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng make_rng(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t state = seed;
  state = split_mix(state) ^ stream;
  return Rng(split_mix(state));
}

const char* version() { return MBLL_VERSION; }

}  // namespace mbll
