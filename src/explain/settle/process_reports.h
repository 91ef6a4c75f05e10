// One report per process of the target, workers with all that were respawned in their place.
#pragma once

#include <cstdint>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/watched.h"

namespace lowtide::explain {

struct WatchedProcess {
  model::ProcessReport report;
  RecordedSeries trail;     // of all its lives
  double change_bytes = 0;  // of its own bytes, from the early to the late window
  bool there_late = false;  // it has readings in the late window
  std::uint64_t pss_readings = 0;
};

struct WatchedProcesses {
  std::vector<WatchedProcess> listed;  // most growth first, then most memory
  model::ShortLived short_lived;
};

WatchedProcesses judge_processes(const Evidence& evidence);

// Flat for all that was seen: what it holds, it holds as a constant.
bool is_flat(const WatchedProcess& process);

}  // namespace lowtide::explain
