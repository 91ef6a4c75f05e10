// Several writers in one file, none of which says who it is.
//
// Ranks that print "step 10 rss 5000 MB" and "step 10 rss 9000 MB" into one file look like one memory that
// jumps up and down in every step. Where each step has the same number of readings, at levels that
// are farther apart than any of them moves, the readings are parted by level: each part is a lane.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace lowtide::ingest {

struct LaneReading {
  double step = 0;  // NaN = not told
  double level = 0;
};

// How many lanes the first readings of one series show; 1 = it is one.
std::size_t count_lanes(std::span<const LaneReading> readings);

class Writers {
 public:
  enum class By { Level, Order };  // order: rows that a tool prints in the same order every time

  Writers(std::size_t count, By by) : lanes_(count), by_(by) {}

  [[nodiscard]] std::size_t count() const { return lanes_.size(); }
  // The lane that this reading belongs to: the nearest of those that have not had this step yet.
  std::size_t place(const LaneReading& reading);
  // Steps begin again.
  void begin_run();

 private:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  struct Lane {
    double step = kNever;
    double level = 0;
    bool used = false;
  };

  std::vector<Lane> lanes_;
  By by_;
  std::size_t next_ = 0;
};

}  // namespace lowtide::ingest
