// Memory that was allocated earlier, and becomes resident as the program first writes to it.
//
// The kernel provides the pages of a large block one by one, when they are first written. `np.zeros` of 2 GB
// costs nothing at first, and then the resident memory grows while live memory does not. That looks like
// memory that was freed and not given back, but it ends when the whole block has been written. Two
// measurements distinguish them: live memory was larger than resident memory, and the process did not map
// more memory while it grew.
#pragma once

#include "explain/evidence/evidence.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/sites/sites.h"

namespace lowtide::explain {

struct FirstTouch {
  double bytes = 0;            // that became resident between the windows; 0: not proven
  double unwritten_bytes = 0;  // live and not resident in the early window, at least
  double left_bytes = 0;       // that may still become resident, at most
};

// Of one process with an agent. `unexplained_bytes`: what it gained beside live memory, and `live_bytes`:
// what its live memory gained.
FirstTouch first_touch_of(const WatchedProcess& process, const AgentProcess& agent, const Sites& sites,
                          const Evidence& evidence, double unexplained_bytes, double live_bytes);

// The line with the most memory in large blocks that were there in the early window; null: there is none. Not
// the arena of an allocator in a library, which it fills with new objects, and of which it can have many.
const SiteGroup* find_written_block(const Sites& sites, const AgentProcess& agent, const Evidence& evidence);

}  // namespace lowtide::explain
