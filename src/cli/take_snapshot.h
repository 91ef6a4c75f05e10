// A snapshot of a live Python process, by pid.
#pragma once

#include <sys/types.h>

#include <variant>

#include "attach/inject.h"
#include "cli/complaint.h"
#include "model/snapshot.h"

namespace lowtide::cli {

// Enters the process, lets it fork, and waits for what the child found.
std::variant<model::Snapshot, Complaint> take_snapshot(pid_t pid, const attach::WalkLimits& limits);

}  // namespace lowtide::cli
