// The one call that begins a snapshot, however the agent came into the process.

#pragma once

#include <string>

#include "attach/inject.h"
#include "base/result.h"

namespace lowtide::attach {

// What the agent's function is given.
std::string make_snapshot_order(const InjectOptions& options, const WalkLimits& limits);

// What its answer, `told.result`, means: a pause, or why there is no snapshot.
base::Result<Injected> judge_snapshot(Injected told);

}  // namespace lowtide::attach
