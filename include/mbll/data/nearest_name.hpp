#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mbll {

/// The candidate that `word` was most likely meant to be: smallest edit distance (insertion, deletion,
/// replacement and swap of neighbours count 1; case counts nothing), the first of equals. Empty if none is
/// nearer than half of the longer word's length. Cost O(|word| · total length of the candidates).
[[nodiscard]] std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace mbll
