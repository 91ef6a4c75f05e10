#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::cli {

// Insertions, deletions, changes and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that the user probably meant: the nearest one, if it is near enough to be a typo.
std::optional<std::string> find_nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lowtide::cli
