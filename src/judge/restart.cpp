#include "judge/restart.h"

#include <algorithm>
#include <cmath>

namespace lowtide::judge {
namespace {

constexpr std::uint64_t kStartup = 5;  // the first readings of a process say nothing about its floor
constexpr std::uint64_t kFewest = 8;

constexpr double kFall = 0.93;  // of the recent floor: what is below it is looked at closely

// Moves by a fixed share towards each gap, whatever its size: settles at the median.
double next_typical_gap(double typical_gap, double gap) {
  if (typical_gap == 0) return gap;
  return typical_gap * (gap > typical_gap ? 1.05 : 1 / 1.05);
}

}  // namespace

void RestartFinder::reset() {
  *this = RestartFinder{};
}

double RestartFinder::recent_low() const {
  return lows_[head_].bytes;
}

void RestartFinder::learn(const Reading& reading) {
  if (readings_ > 0 && reading.at_s > last_at_s_) {
    typical_gap_ = next_typical_gap(typical_gap_, reading.at_s - last_at_s_);
  }
  last_at_s_ = reading.at_s;
  if (!std::isnan(reading.step)) {
    last_step_ = reading.step;
    stepped_ = true;
  }
  ++readings_;
  if (readings_ == kStartup + 1) lowest_ = reading.bytes;
  if (readings_ > kStartup) lowest_ = std::min(lowest_, reading.bytes);

  // The window grows with the series: three readings at first, a tenth of it later.
  const std::uint64_t window = std::clamp<std::uint64_t>(readings_ / 10, 3, kWindow);
  while (size_ > 0 && lows_[(head_ + size_ - 1) % kWindow].bytes >= reading.bytes) --size_;
  if (size_ == kWindow) {
    head_ = (head_ + 1) % kWindow;
    --size_;
  }
  lows_[(head_ + size_) % kWindow] = {readings_, reading.bytes};
  ++size_;
  while (lows_[head_].index + window <= readings_) {
    head_ = (head_ + 1) % kWindow;
    --size_;
  }
}

RestartFinder::Answer RestartFinder::add(const Reading& reading) {
  if (unclear_ > 0) {
    ++unclear_;
    const bool back = reading.bytes >= 0.97 * reference_;
    if (!back && unclear_ < kPatience) return Answer::Unclear;
    unclear_ = 0;
    if (!back) reset();
    learn(reading);
    return back ? Answer::WasDip : Answer::WasRestart;
  }
  if (readings_ >= kFewest) {
    const double low = recent_low();
    if (reading.bytes < kFall * low) {
      const bool step_back = stepped_ && reading.step < last_step_;
      const double gap = reading.at_s - last_at_s_;
      const bool deep = reading.bytes < 0.65 * low;
      const bool paused = typical_gap_ > 0 && gap > 10 * typical_gap_;
      const bool paused_a_little = typical_gap_ > 0 && gap > 4 * typical_gap_;
      const bool silence = paused || (deep && paused_a_little && reading.bytes < 0.8 * lowest_);
      if (silence || (step_back && reading.bytes < 0.9 * low)) {
        reset();
        learn(reading);
        return Answer::Restarted;
      }
      if (deep && reading.bytes < 0.85 * lowest_) {
        reference_ = low;
        unclear_ = 1;
        return Answer::Unclear;
      }
    }
  }
  learn(reading);
  return Answer::Continues;
}

}  // namespace lowtide::judge
