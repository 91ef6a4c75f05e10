// How long to wait until the next tick.
//
// The start of a run shows whether growth is a warm-up, and most jobs that are watched for a leak are short,
// so ticks are frequent at first. After five minutes one per second is enough. Near the limit, or if the
// machine is short of memory, every tick may be the last one, so ticks are frequent again.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

namespace lowtide::watch {

struct PaceClues {
  double at_s = 0;
  double tick_cost_s = 0;  // what the last tick took of a core
  double cost_before_s =
      std::numeric_limits<double>::infinity();  // and the one before it, where there was one
  double room_share = 1;                        // of the limit that is left
  double pressure_percent = 0;
};

class Pace {
 public:
  // An interval that the user sets is used as it is.
  explicit Pace(std::optional<double> interval_s) : interval_s_(interval_s) {}

  [[nodiscard]] double wait_s(const PaceClues& clues) const {
    double wait_s = interval_s_.value_or(usual_s(clues.at_s));
    if (!interval_s_ && (clues.room_share < kCloseShare || clues.pressure_percent > kPressedPercent)) {
      wait_s = std::min(wait_s, kCloseS);
    }
    // At most a hundredth of one core, however large the tree is. But a tick that reads 10,000 new processes
    // costs most of a second, once, and no minute without readings must follow. Nor ten seconds after a
    // single expensive tick (if the machine stalls, that time counts too).
    const double usual_cost_s = std::min(clues.tick_cost_s, clues.cost_before_s);
    wait_s = std::max(wait_s, std::min(kCostFactor * clues.tick_cost_s, kLongestPauseOnceS));
    return std::max(wait_s, std::min(kCostFactor * usual_cost_s, kLongestPauseS));
  }

 private:
  static constexpr double kCloseShare = 0.1;
  static constexpr double kPressedPercent = 10;
  static constexpr double kCloseS = 0.1;
  static constexpr double kCostFactor = 100;
  static constexpr double kLongestPauseS = 10;
  static constexpr double kLongestPauseOnceS = 0.5;

  static double usual_s(double at_s) { return at_s < 60 ? 0.25 : at_s < 300 ? 0.5 : 1.0; }

  std::optional<double> interval_s_;
};

}  // namespace lowtide::watch
