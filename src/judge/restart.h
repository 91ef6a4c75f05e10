// Finds restarts of a process in the samples alone.
//
// A restart shows as a fall below the recent floor that does not come back, more
// surely so when the step counter went back (a checkpoint was resumed) or no
// sample came for a while. A dip of a few samples (a trim, a worker that is
// replaced) comes back to where it was and is none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lowtide::judge {

struct Reading {
  double at_s = 0;
  double step = 0;
  double bytes = 0;
};

class RestartFinder {
 public:
  enum class Answer {
    Continues,  // the reading belongs to the process that was
    Restarted,  // it is the first of another one
    Unclear,    // keep it; the readings to come will tell
    WasDip,     // those kept, and this one, belong to the process that was
    WasRestart  // those kept, and this one, belong to another process
  };

  Answer add(const Reading& reading);

  // The caller knows of a restart.
  void reset();

 private:
  void learn(const Reading& reading);
  [[nodiscard]] double recent_low() const;

  static constexpr std::size_t kWindow = 64;
  static constexpr std::size_t kPatience = 8;

  // Lowest of the last kWindow readings as a monotone queue: oldest and lowest first.
  struct Entry {
    std::uint64_t index = 0;
    double bytes = 0;
  };
  std::array<Entry, kWindow> lows_{};
  std::size_t head_ = 0;
  std::size_t size_ = 0;

  std::uint64_t readings_ = 0;
  double lowest_ = 0;       // since the start-up of this process
  double typical_gap_ = 0;  // seconds; follows the median
  double last_at_s_ = 0;
  double last_step_ = 0;
  bool stepped_ = false;
  double reference_ = 0;  // the floor before the fall that is unclear
  std::size_t unclear_ = 0;
};

}  // namespace lowtide::judge
