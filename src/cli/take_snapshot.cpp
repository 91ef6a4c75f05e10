#include "cli/take_snapshot.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/text.h"
#include "cli/agent_preload.h"
#include "observe/snapshot_socket.h"

namespace lowtide::cli {
namespace {

Complaint cannot_enter(pid_t pid, const base::Error& error) {
  const std::string again = fmt::format("lowtide snapshot {}", pid);
  const std::string what =
      fmt::format("cannot look into process {}: {}", pid, base::printable(error.message));
  switch (error.code) {
    case base::ErrorCode::Gone:
      return {what, "no process of that number runs now", "lowtide attach --find shows the training jobs"};
    case base::ErrorCode::Unsupported:
      return {what, "a snapshot is of the objects of a CPython 3.9 to 3.14 with a GIL",
              fmt::format("lowtide attach --deep {} names the lines that allocate, in any language", pid)};
    case base::ErrorCode::Io:
      return {what, "it was busy, stopped, or deep in the kernel; it was not changed",
              again + ", a little later"};
    default:
      break;
  }
  const attach::Advice advice = attach::advise(pid, error);
  return {what, advice.why, "as root: " + again + ", or start the job by: lowtide run"};
}

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::variant<model::Snapshot, Complaint> take_snapshot(pid_t pid, const attach::WalkLimits& limits) {
  const auto library = find_agent_library();
  if (!library) {
    return Complaint{"cannot take a snapshot: liblowtide_agent.so is not there",
                     "it lies beside lowtide, or in ../lib/lowtide, or where LOWTIDE_AGENT says",
                     "./dev build"};
  }
  auto socket = observe::SnapshotSocket::open();
  if (!socket) {
    return Complaint{"cannot take a snapshot: " + socket.error().message,
                     "the child that walks needs a socket to speak to",
                     "TMPDIR and XDG_RUNTIME_DIR must name folders that can be written"};
  }
  attach::InjectOptions options;
  options.agent_path = *library;
  options.socket_path = socket.value().path();
  options.answer_limit = limits.to_begin + std::chrono::seconds(3);
  const double at_s = unix_seconds();
  const auto begun = attach::begin_snapshot(pid, options, limits);
  if (!begun) return cannot_enter(pid, begun.error());
  auto snapshot = socket.value().receive(std::chrono::seconds(10), limits.to_end);
  if (!snapshot) {
    return Complaint{
        fmt::format("the snapshot of process {} came to nothing: {}", pid, snapshot.error().message),
        "the child that walks was killed, or the process died in the middle",
        fmt::format("again: lowtide snapshot {}", pid)};
  }
  snapshot.value().pid = pid;
  snapshot.value().at_s = at_s;
  snapshot.value().pause_s = std::chrono::duration<double>(begun.value().pause_of_python).count();
  return std::move(snapshot).value();
}

}  // namespace lowtide::cli
