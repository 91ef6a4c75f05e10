#include "judge/stairs.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "judge/statistics.h"

namespace lowtide::judge {

void find_stairs(Evidence& e, double residual_sd) {
  const std::vector<double>& floors = e.floors;
  const std::size_t count = floors.size();
  std::vector<double> ahead = floors;
  for (std::size_t at = count - 1; at-- > 0;) ahead[at] = std::min(ahead[at], ahead[at + 1]);
  const std::size_t tail = std::max<std::size_t>(2, count / 6);
  const double rise = median({floors.end() - static_cast<std::ptrdiff_t>(tail), floors.end()}) - ahead[0];
  const double noise = std::max(e.floor_noise, 0.8 * residual_sd);
  const double step = std::max({3 * noise, 0.004 * e.curve.level, 0.05 * rise});
  std::vector<std::size_t> rises;
  double tread = ahead[0];
  std::size_t last = 0;
  for (std::size_t at = 1; at + 1 < count; ++at) {
    if (ahead[at] <= tread + step) continue;
    const double before = median({floors.begin() + static_cast<std::ptrdiff_t>(last),
                                  floors.begin() + static_cast<std::ptrdiff_t>(at)});
    if (ahead[at] <= before + 0.5 * step) continue;
    rises.push_back(at);
    tread = ahead[at];
    last = at;
  }
  e.rises = rises.size();
  e.flat_floors = rises.empty() ? count : count - rises.back();
  for (std::size_t at = 1; at < rises.size(); ++at) e.pause = std::max(e.pause, rises[at] - rises[at - 1]);

  // Stairs, not a ramp: the largest third of the increments carries nearly all of the movement.
  std::vector<double> jumps = differences(std::span(floors).subspan(count / 5));
  double total = 0;
  double movement = 0;
  for (const double jump : jumps) {
    total += jump;
    movement += std::abs(jump);
  }
  std::sort(jumps.rbegin(), jumps.rend());
  double carried = 0;
  const std::size_t third =
      std::max<std::size_t>(1, static_cast<std::size_t>(0.34 * static_cast<double>(jumps.size())));
  for (std::size_t at = 0; at < std::min(third, jumps.size()); ++at) carried += jumps[at];
  const bool jumpy = total > 0 && jumps.size() >= 8 && carried > 0.85 * movement;
  e.stairs = e.rises >= 3 && e.pause >= 2 && jumpy &&
             static_cast<double>(e.flat_floors) <= 1.6 * static_cast<double>(e.pause);
}

}  // namespace lowtide::judge
