// What the sites say: which of them leak, and what that settles.
//
// A series that rises for 300 steps may be a leak or a warm-up that ends at step
// 400, and from the numbers alone nobody can tell. The sites tell more. Of a leak,
// what is alive grows, from one line, in every part of the run to its end, and
// next to nothing that the line allocated has been freed. An allocator that keeps
// what was freed shows the opposite: resident memory grows and what is alive does
// not. Where neither can be shown the verdict stays open. A bounded cache that is
// still filling looks like a leak here too: only its bound would tell.
#pragma once

#include <string>
#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/sites.h"
#include "model/verdict.h"

namespace lowtide::explain {

// Fills in the verdict of every group.
void judge_sites(Sites& sites, const Evidence& evidence);

// The place leaks, and the samples show it: enough of them, next to none freed, rising to the end.
bool is_kept(const SiteGroup& group, const Evidence& evidence);

// "of 240 blocks sampled since then none was freed"
std::string freed_words(const SiteGroup& group);

// Settles what the series of the processes left open.
void settle_processes(std::vector<WatchedProcess>& processes, const Sites& sites, const Evidence& evidence);

// The same for the tree. True where the verdict was changed.
bool settle_with_sites(model::Verdict& tree, const Sites& sites, const Evidence& evidence,
                       const std::vector<WatchedProcess>& processes);

// No site leaks in a tree that does not: its floor would have risen by it.
void agree_with_tree(Sites& sites, const model::Verdict& tree);

}  // namespace lowtide::explain
