// The low-water mark of one process or one site while it is watched: how far it rose, and how fast lately.
//
// Not a verdict: that needs more than a row of a table can carry. It is what tells a reader which row to
// look at, and a spike must not move it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lowtide::screen {

// Bounded: at most kMostStretches lows, each of a stretch of time that doubles when there are too many.
class LowWater {
 public:
  static constexpr std::size_t kMostStretches = 64;

  // Times must not fall.
  void add(double at_s, std::uint64_t bytes);

  // Of the floor, as verdicts have it (model/floor.h).
  [[nodiscard]] std::int64_t growth_bytes() const;

  // From the lowest of the third quarter to the lowest of the last. Absent while too little was seen.
  [[nodiscard]] std::optional<double> bytes_per_s() const;

 private:
  struct Stretch {
    double from_s = 0;
    std::uint64_t low_bytes = 0;
  };

  void thin();
  [[nodiscard]] std::uint64_t lowest(std::size_t first, std::size_t count) const;

  std::vector<Stretch> stretches_;
  double width_s_ = 0.25;
};

}  // namespace lowtide::screen
