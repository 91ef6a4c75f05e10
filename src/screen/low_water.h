// The floor of one process or one site while it is watched: how far it rose, and how fast it rises now.
//
// This is not a verdict. It shows the reader which row matters, and a spike must not move it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lowtide::screen {

// Bounded: keeps the lowest value of at most kMostStretches intervals, whose length doubles when there are
// too many.
class LowWater {
 public:
  static constexpr std::size_t kMostStretches = 64;

  // Times must not decrease.
  void add(double at_s, std::uint64_t bytes);

  // Growth of the floor, as in verdicts (model/floor.h).
  [[nodiscard]] std::int64_t growth_bytes() const;

  // From the lowest value of the third quarter to that of the last. Absent while there is too little data.
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
