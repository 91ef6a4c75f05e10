// The verdict of the whole target: that of the tree's series, joined with what
// its processes show.
#pragma once

#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/settle/process_reports.h"
#include "model/verdict.h"

namespace lowtide::explain {

// A worker that turns shared pages into its own, steadily, to the end, and has many left to
// copy, leaks: its series alone leaves that open.
void settle_copying(std::vector<WatchedProcess>& processes, const Evidence& evidence);

// Where the tree's verdict is open and leans to a leak: more and more processes, to the end, are one,
// whatever each of them does. False where they are not.
bool settle_with_count(model::Verdict& tree, const Evidence& evidence);

// The tree's own verdict stands where it is one. Where it is open, the processes may settle it:
// - one of them leaks beyond doubt, and it is what the tree grew by: a leak;
// - workers turn shared pages into their own, steadily, to the end, and most of the pages are
//   still shared: a leak as long as that lasts;
// - none of them leans to a leak: then the tree does not either (workers that come and go).
void join_with_processes(model::Verdict& tree, const Evidence& evidence,
                         const std::vector<WatchedProcess>& processes);

}  // namespace lowtide::explain
