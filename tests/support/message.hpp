#pragma once

#include <string>

#include "mbll/error.hpp"

namespace mbll::test {

/// What the InvalidArgument said, or "no error".
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace mbll::test
