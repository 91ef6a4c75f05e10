// What the trainer itself reports through the agent: its phases, and what each phase keeps.
#pragma once

#include <cstdint>
#include <string>

#include "model/process.h"

namespace lowtide::model {

struct Phase {
  ProcessId process{};
  std::string name;              // train, eval, checkpoint, or the job's own word
  std::uint64_t count = 0;       // visits
  std::uint64_t kept_bytes = 0;  // alive long after, of what was allocated in it
  std::uint64_t peak_bytes = 0;  // most that was resident at a tick in it; 0: no tick fell into it
  double took_s = 0;
};

// A stretch that a trainer was in one phase, as far as ticks can tell: a visit between two of them is not
// seen.
struct PhaseVisit {
  ProcessId process{};
  std::string name;
  double from_s = 0;
  double to_s = 0;
};

}  // namespace lowtide::model
