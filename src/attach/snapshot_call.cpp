#include "attach/snapshot_call.h"

#include <utility>

#include "attach/unsupported.h"
#include "wire/python_names.h"
#include "wire/snapshot.h"

namespace lowtide::attach {

std::string make_snapshot_order(const InjectOptions& options, const WalkLimits& limits) {
  return options.socket_path + '\n' + std::to_string(limits.to_begin.count()) + '\n' +
         std::to_string(limits.to_end.count()) + '\n' + std::to_string(limits.memory_mb);
}

base::Result<Injected> judge_snapshot(Injected told) {
  if (told.result >= 0) {
    told.pause_of_python = std::chrono::microseconds(told.result);
    return told;
  }
  switch (static_cast<wire::SnapshotResult>(told.result)) {
    case wire::SnapshotResult::NoPython:
      return unsupported("there is no Python in it");
    case wire::SnapshotResult::UnknownPython:
      return unsupported("its Python is none of " + wire::known_pythons());
    case wire::SnapshotResult::FreeThreaded:
      return unsupported("its Python is free-threaded: without a GIL nothing holds still for a fork");
    case wire::SnapshotResult::NotInitialized:
      return unsupported("its Python has not begun, or has ended");
    case wire::SnapshotResult::Busy:
      return base::Error{base::ErrorCode::Io, "its interpreter did not let go of the GIL in time"};
    case wire::SnapshotResult::NoFork:
      return base::Error{base::ErrorCode::Io, "the kernel does not let it fork"};
    case wire::SnapshotResult::NoFunctions:
      return unsupported("its Python hides the functions that a walk needs");
    case wire::SnapshotResult::Underway:  // is never the last word
      break;
  }
  return base::Error{base::ErrorCode::Malformed, "the agent's answer makes no sense"};
}

}  // namespace lowtide::attach
