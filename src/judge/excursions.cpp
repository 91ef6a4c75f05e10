#include "judge/excursions.h"

#include <algorithm>

namespace lowtide::judge {
namespace {

// Fills dips of one or two points; else all that comes before a dip looks like a spike.
std::vector<double> without_dips(std::span<const double> values) {
  std::vector<double> out(values.begin(), values.end());
  const std::size_t count = values.size();
  if (count < 5) return out;
  for (std::size_t at = 0; at < count; ++at) {
    const double back1 = values[at >= 1 ? at - 1 : 0];
    const double back2 = values[at >= 2 ? at - 2 : 0];
    const double next1 = values[std::min(at + 1, count - 1)];
    const double next2 = values[std::min(at + 2, count - 1)];
    out[at] = std::max({values[at], std::min(back1, next1), std::min(back2, next1), std::min(back1, next2)});
  }
  return out;
}

// Lowest of the next `window` values, this one included, for every place (monotone queue).
std::vector<double> lowest_ahead(std::span<const double> values, std::size_t window) {
  const std::size_t count = values.size();
  std::vector<double> out(count);
  std::vector<std::size_t> queue(count);
  std::size_t head = 0;
  std::size_t tail = 0;
  for (std::size_t from = count; from-- > 0;) {
    while (tail > head && values[queue[tail - 1]] >= values[from]) --tail;
    queue[tail++] = from;
    if (queue[head] >= from + window) ++head;
    out[from] = values[queue[head]];
  }
  return out;
}

}  // namespace

std::vector<Excursion> find_excursions(std::span<const double> values, double threshold) {
  const std::vector<double> filled = without_dips(values);
  const std::size_t count = filled.size();
  const std::vector<double> ahead = lowest_ahead(filled, std::max<std::size_t>(20, count / 4));

  std::vector<Excursion> out;
  for (std::size_t at = 0; at < count; ++at) {
    const double height = filled[at] - ahead[at];
    if (height <= threshold) continue;
    if (!out.empty() && out.back().last + 1 == at) {
      out.back().last = at;
      out.back().height = std::max(out.back().height, height);
    } else {
      out.push_back({at, at, height});
    }
  }
  return out;
}

}  // namespace lowtide::judge
