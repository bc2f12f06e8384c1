#include <fmt/format.h>

#include "mbll/core.hpp"

int main() {
  fmt::print("mbll {}\n", mbll::version());
  return 0;
}
