// Workers that come and go every epoch: one series for all that followed each other.
//
// A worker that is respawned starts small and grows to its size within seconds.
// Judged by itself each life is a ramp that is too short for a verdict; strung together
// as they are, they are a saw. So the start-up of every life but the first is left
// out: what remains is flat when the workers are, and rises when each one is
// larger than the one before.
#pragma once

#include <cstddef>
#include <vector>

#include "explain/evidence/evidence.h"

namespace lowtide::explain {

// Processes that followed each other, oldest first: indices into Evidence::processes.
using RespawnChain = std::vector<std::size_t>;

// Every process is in exactly one of them, however the recording is damaged.
std::vector<RespawnChain> find_respawn_chains(const std::vector<ProcessEvidence>& processes);

RecordedSeries joined_series(const std::vector<ProcessEvidence>& processes, const RespawnChain& chain);

}  // namespace lowtide::explain
