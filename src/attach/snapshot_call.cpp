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
      return unsupported("it has no Python interpreter");
    case wire::SnapshotResult::UnknownPython:
      return unsupported("its Python version is not supported: lowtide supports " + wire::known_pythons());
    case wire::SnapshotResult::FreeThreaded:
      return unsupported(
          "its Python is free-threaded: without a GIL, its objects can change during the fork");
    case wire::SnapshotResult::NotInitialized:
      return unsupported("its Python interpreter has not started yet, or has ended");
    case wire::SnapshotResult::Busy:
      return base::Error{base::ErrorCode::Io, "its interpreter did not release the GIL in time"};
    case wire::SnapshotResult::NoFork:
      return base::Error{base::ErrorCode::Io, "the fork failed"};
    case wire::SnapshotResult::NoFunctions:
      return unsupported("its Python does not export the functions that a snapshot needs");
    case wire::SnapshotResult::Underway:  // is never the last word
      break;
  }
  return base::Error{base::ErrorCode::Malformed, "the answer of the agent is invalid"};
}

}  // namespace lowtide::attach
