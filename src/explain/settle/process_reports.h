// One report per process of the target, workers with all that were respawned in their place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/watched.h"

namespace lowtide::explain {

// Fewer say nothing about a process.
inline constexpr std::uint64_t kFewestReadings = 8;

// The moment that a level within the window stands for: "at step 120", "at 42.0 s".
std::string at_middle(const Window& window, const Evidence& evidence);

struct WatchedProcess {
  model::ProcessReport report;
  RecordedSeries series;    // of all its lives
  double change_bytes = 0;  // of its own bytes, from the early to the late window
  // Its series is what it holds, with the pages that it shares with the children that it forked.
  bool counts_shared_pages = false;
  bool there_late = false;  // it has readings in the late window
  std::uint64_t pss_readings = 0;
};

struct WatchedProcesses {
  std::vector<WatchedProcess> listed;  // most growth first, then most memory
  model::ShortLived short_lived;
};

// With the verdicts of their series alone: judge_recording() settles them.
WatchedProcesses judge_processes(const Evidence& evidence);

// Flat for all that was seen: what it holds, it holds as a constant.
bool is_flat(const WatchedProcess& process);

}  // namespace lowtide::explain
