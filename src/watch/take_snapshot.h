// A snapshot of a live Python process, by pid.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <variant>

#include "attach/inject.h"
#include "console/user_error.h"
#include "model/snapshot.h"

namespace lowtide::watch {

enum class WayIn : std::uint8_t {
  Any,         // by ptrace, and where that is not to be had and Python is new enough, by sys.remote_exec
  RemoteExec,  // by that alone
};

// Enters the process, lets it fork, and waits for what the child found.
std::variant<model::Snapshot, console::UserError> take_snapshot(pid_t pid, const attach::WalkLimits& limits,
                                                                WayIn way = WayIn::Any);

}  // namespace lowtide::watch
