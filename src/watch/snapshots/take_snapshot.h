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
  Any,         // by ptrace; if that fails and Python is new enough, by sys.remote_exec
  RemoteExec,  // by sys.remote_exec only
};

// Enters the process, makes it fork, and waits for the result of the child.
std::variant<model::Snapshot, console::UserError> take_snapshot(pid_t pid, const attach::WalkLimits& limits,
                                                                WayIn way = WayIn::Any);

}  // namespace lowtide::watch
