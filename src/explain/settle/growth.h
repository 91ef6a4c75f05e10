// How much the tree grew, who grew, and into what kind of memory.
#pragma once

#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/sites/first_touch.h"
#include "explain/settle/sites/sites.h"
#include "model/report.h"

namespace lowtide::explain {

// Of the tree, between the early and the late window.
double tree_change(const Evidence& evidence);

// Growth that is worth a question: the verdict has not called it flat, and it is more than noise.
bool grows(const Evidence& evidence, const model::Verdict& verdict);

// Fills in the share that each process has in the growth of the tree.
void set_growth_shares(std::vector<WatchedProcess>& processes, const Evidence& evidence,
                       const model::Verdict& verdict);

// Growth of shared memory, by the nearest witness there is.
struct SharedMemoryGrowth {
  double bytes = 0;
  double mapped_bytes = 0;    // by the process that maps most: the rest is not part of the process tree
  double unmapped_bytes = 0;  // what the job made and no process maps
  const char* witness = "";   // "the cgroup's shmem"
};
SharedMemoryGrowth shared_memory_growth(const Evidence& evidence,
                                        const std::vector<WatchedProcess>& processes);

// A process whose private pages grow while its resident set stands still:
// it writes to pages that it had shared since it was forked.
bool copies_on_write(const WatchedProcess& process, const Evidence& evidence);

// What such a process still shares since the fork and could copy.
double remaining_shared_bytes(const WatchedProcess& process, const Evidence& evidence);

// Of one process with an agent: what it gained, and how much of that is alive.
struct HeapGrowth {
  double gained_bytes = 0;    // its own memory, without shared memory
  double live_bytes = 0;      // of that: alive; never more than was gained
  double native_bytes = 0;    // of the live ones: of native code
  double retained_bytes = 0;  // freed, and not given back; 0 within the error
  FirstTouch touched;         // allocated earlier, and written for the first time
};
HeapGrowth heap_growth(const WatchedProcess& process, const AgentProcess& agent, const Sites& sites,
                       const Evidence& evidence);

// The process with an agent that has most of one part of its growth; all null where none has any.
struct LargestPart {
  const WatchedProcess* process = nullptr;
  const AgentProcess* agent = nullptr;
  HeapGrowth growth;
};
LargestPart find_largest_part(const std::vector<WatchedProcess>& processes, const Sites& sites,
                              const Evidence& evidence, double (*part)(const HeapGrowth&));

// The parts add up to the growth of the tree. What nothing explains is a part of its own.
model::GrowthReport explain_growth(const Evidence& evidence, const std::vector<WatchedProcess>& processes,
                                   const Sites& sites, const model::Verdict& verdict);

}  // namespace lowtide::explain
