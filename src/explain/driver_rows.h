// What the CUDA driver charges a process beside its framework, as rows that add up to it.
#pragma once

#include <cstdint>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/memory_part.h"

namespace lowtide::explain {

struct DriverRows {
  std::vector<model::MemoryPart> parts;  // the remainder last, whatever its size
  // Of these, what the driver did not count for the process, because it names no process here.
  std::uint64_t unnamed_bytes = 0;
};

// `outside_bytes`: what the driver counts for the process at that moment, without what its framework has
// reserved.
DriverRows driver_rows(const Evidence& evidence, model::ProcessId process, double at_s,
                       std::uint64_t outside_bytes);

}  // namespace lowtide::explain
