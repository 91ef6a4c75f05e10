#include "cli/syntax/nearest.h"

#include <algorithm>

namespace lowtide::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) distance[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) distance[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  }
  return distance[a.size()][b.size()];
}

std::optional<std::string> find_nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 256;  // the distance costs the product of both lengths
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::optional<std::string> nearest;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    // "an" is far from "analyze" by distance, but it is a prefix.
    const bool begins = word.size() >= 2 && candidate.compare(0, word.size(), word) == 0;
    const std::size_t distance = begins ? 1 : edit_distance(word, candidate);
    if (distance < best && distance < word.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace lowtide::cli
