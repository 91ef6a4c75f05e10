// Growth in stairs, each larger and later than the one before.
//
// A table, a buffer or an arena that doubles when it is full grows like this, even if what it contains grows
// by the same amount in every step. The judge sees a floor that rose and has stayed: a warm-up that ended.
// Whether the next stair comes is known only some time after it is due.
#pragma once

#include <optional>
#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/settle.h"

namespace lowtide::explain {

struct Doubling {
  double due = 0;        // the next stair, in steps or seconds
  double last_wait = 0;  // when it has not come by then, the stairs have ended
  double growth = 0;     // bytes
};

// Absent: no three such stairs, or the next one did not come.
std::optional<Doubling> find_doubling(const RecordedSeries& series, const Steps& steps);

// Absent too if the growth is little beside the memory of the tree.
std::optional<Argument> next_stair_is_due(const RecordedSeries& series, const Steps& steps,
                                          double tree_bytes = 0);

// The same for the tree: its own series, or that of the process that gained most of what the tree did.
std::optional<Argument> next_stair_is_due(const std::vector<WatchedProcess>& processes,
                                          const Evidence& evidence);

}  // namespace lowtide::explain
