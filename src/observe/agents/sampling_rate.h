// How many samples per second each agent may take.
//
// The first samples are worth most: they show which lines hold memory. Later ones only narrow the error of
// numbers that are already known, but they cost the job and the monitor as much. So a process is sampled at
// the full rate at first. After that all processes share a small rate. A process that comes later, such as a
// worker that is started again every epoch, shares a higher one at first: workers that live for less than
// half a minute would be sampled at the full rate for ever. While memory grows, and the growth
// rests on few samples, the rate is higher. Each sample carries the weight of the rate at which it was taken,
// so the estimates stay unbiased; the recording has the error of each line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lowtide::observe {

struct SamplingNeed {
  double watched_s = 0;           // since its agent was first seen
  double came_s = 0;              // from the first agent of the job to its own
  std::size_t processes = 1;      // that have an agent
  bool grows = false;             // the verdict is a leak, or leans to one
  std::uint64_t new_samples = 0;  // alive now, beyond those at the end of the full rate
  double searched_s = 0;          // the time at the higher rate
};

inline constexpr double kFullRateS = 30;
inline constexpr double kLatestFullRateS = 60;        // for processes that come before that
inline constexpr std::uint64_t kEnoughSamples = 400;  // an error of 5%
inline constexpr double kMostSearchS = 300;           // what grows may not come from an allocator

inline bool is_search_due(const SamplingNeed& need) {
  return need.watched_s >= kFullRateS && need.grows && need.new_samples < kEnoughSamples &&
         need.searched_s < kMostSearchS;
}

// 0: the agent's own limit.
inline std::uint32_t samples_per_second(const SamplingNeed& need) {
  constexpr std::size_t kSteady = 200;  // of all processes together
  constexpr std::size_t kSearch = 1000;
  constexpr std::size_t kLeast = 5;  // of one process
  const bool is_new = need.watched_s < kFullRateS;
  if (is_new && need.came_s < kLatestFullRateS) return 0;
  const std::size_t shared = is_new || is_search_due(need) ? kSearch : kSteady;
  return static_cast<std::uint32_t>(std::max(kLeast, shared / std::max<std::size_t>(1, need.processes)));
}

}  // namespace lowtide::observe
