// Axes with round numbers on them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lowtide::show {

struct Tick {
  double value = 0;
  std::string label;
};

// Where an axis begins and ends, and what is written on it.
struct Scale {
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;

  // 0 at the low end, 1 at the high end; outside it goes beyond them.
  [[nodiscard]] double position(double value) const { return (value - low) / (high - low); }
};

// Memory, upwards. It starts at zero, because growth must be compared with the whole. Only a series that
// moves within a quarter of its level is magnified, and never so much that the noise of a flat series fills
// the plot. In a plot of `rows` rows the ticks are in every n-th row: at least 3 of them, at most 7.
Scale byte_scale(double lowest_bytes, double highest_bytes, std::size_t rows = 13);

// Steps, or readings where nothing better is known: exactly from first to last.
Scale count_scale(double first, double last, std::size_t most_ticks);

// Time in the unit that fits: "30 s", "5 min", "2 h", "3 d".
Scale time_scale(double first_s, double last_s, std::size_t most_ticks);

}  // namespace lowtide::show
