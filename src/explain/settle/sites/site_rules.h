// What the sites say: which of them leak, and what that says about processes and tree.
//
// A series that rises for 300 steps may be a leak or a warm-up that ends at step
// 400, and the numbers alone cannot decide. The sites know more. Of a leak,
// the live memory of one line grows, in every part of the run to its end, and
// next to nothing that the line allocated has been freed. An allocator that keeps
// what was freed shows the opposite: resident memory grows and live memory does
// not. Where neither can be shown the verdict stays open. A bounded cache that is
// still filling looks like a leak here too: only its bound shows the difference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/settle.h"
#include "explain/settle/sites/sites.h"

namespace lowtide::explain {

// Fills in the verdict of every group, and whether it keeps what it allocates.
void judge_sites(Sites& sites, const Evidence& evidence);

// "0 of 240 sampled blocks freed"; of a table that grows in few blocks: that they were replaced; empty
// without a sample.
std::string freed_words(const SiteGroup& group);

// Lines that free next to nothing hold a large part of what the process gained.
std::optional<Argument> leak_from_sites(const WatchedProcess& process, const Sites& sites,
                                        const Evidence& evidence);
// The same for the tree.
std::optional<Argument> leak_from_sites(const Sites& sites, const Evidence& evidence);

// Memory that was allocated earlier is written for the first time, and that is most of the growth.
std::optional<Argument> growth_is_first_touch(const WatchedProcess& process, const Sites& sites,
                                              const Evidence& evidence);
std::optional<Argument> growth_is_first_touch(const std::vector<WatchedProcess>& processes,
                                              const Sites& sites, const Evidence& evidence);

// Resident memory grew, and live memory did not.
std::optional<Argument> retention_clears_lean(const WatchedProcess& process, const Sites& sites,
                                              const Evidence& evidence);
std::optional<Argument> retention_clears_lean(const std::vector<WatchedProcess>& processes,
                                              const Sites& sites, const Evidence& evidence);

// A site that allocated nearly all of what a leaking tree gained is not flat: an arena or a table that
// doubles grows in few, ever larger blocks, and seems to have stopped after each.
void open_main_site_if_tree_leaks(Sites& sites, const model::Verdict& tree);

// No site leaks in a tree that does not: its floor would have risen by it.
void clear_sites_if_tree_flat(Sites& sites, const model::Verdict& tree);

}  // namespace lowtide::explain
