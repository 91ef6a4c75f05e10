#pragma once

#include <optional>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/report.h"

namespace lowtide::explain {

// What was recorded, and what the readings tell besides: the job's exit, and
// oom-kills that the cgroup counted while nobody saw them happen. In order of time.
std::vector<model::Event> find_events(const Evidence& evidence);

// The kernel's kill for lack of memory, if there was one.
struct OomKill {
  double at_s = 0;
  const ProcessEvidence* victim = nullptr;  // null: not known
  std::uint64_t counted = 0;                // by the cgroup, during the run
};
std::optional<OomKill> find_oom_kill(const Evidence& evidence);

}  // namespace lowtide::explain
