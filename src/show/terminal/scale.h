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

// Memory, upwards. From zero, as growth looks what it is only against the
// whole; only a series that moves within a quarter of its level is magnified,
// and never so far that the noise of a flat one fills the picture.
Scale byte_scale(double lowest_bytes, double highest_bytes);

// Steps, or readings where nothing better is known: exactly from first to last.
Scale count_scale(double first, double last, std::size_t most_ticks);

// Time in the unit that fits: "30 s", "5 min", "2 h", "3 d".
Scale time_scale(double first_s, double last_s, std::size_t most_ticks);

}  // namespace lowtide::show
