// What the processes of the tree say about its verdict, and about their own.
#pragma once

#include <optional>
#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/settle.h"

namespace lowtide::explain {

// The odds of the detector are those of long series: a handful of readings of a
// process at its start would lean to leak for no reason but its start.
std::optional<Argument> too_few_readings(const WatchedProcess& process);

// One process leaks beyond doubt, and it is what the tree grew by.
std::optional<Argument> leak_from_process(const Evidence& evidence,
                                          const std::vector<WatchedProcess>& processes);

// The same beside forked workers that are replaced: what they copied goes with them, and its pace is not that
// of the tree. Null: no such process, or no such workers.
const WatchedProcess* find_leak_beside_replaced(const Evidence& evidence,
                                                const std::vector<WatchedProcess>& processes);
std::optional<Argument> leak_beside_replaced(const Evidence& evidence,
                                             const std::vector<WatchedProcess>& processes);

// A worker that makes shared pages private, steadily, to the end, and has many left to
// copy, leaks as long as that lasts: its series alone leaves that open.
std::optional<Argument> leak_from_copy_on_write(const WatchedProcess& process, const Evidence& evidence);
// The same for the tree, by all of its workers.
std::optional<Argument> leak_from_copy_on_write(const std::vector<WatchedProcess>& processes,
                                                const Evidence& evidence);

// None of the processes leans to a leak: then the tree does not either (workers that come and go).
std::optional<Argument> no_process_grows(const std::vector<WatchedProcess>& processes,
                                         const Evidence& evidence);

}  // namespace lowtide::explain
