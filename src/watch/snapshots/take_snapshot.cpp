#include "watch/snapshots/take_snapshot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "attach/privileges.h"
#include "attach/remote_exec.h"
#include "base/clock.h"
#include "base/text.h"
#include "observe/agents/snapshot_socket.h"
#include "watch/entry/agent_preload.h"
#include "watch/snapshots/snapshot_room.h"
#include "wire/python_names.h"

namespace lowtide::watch {
namespace {

console::UserError no_such_process(std::string what) {
  return {std::move(what), "no running process has this pid", "lowtide attach --find finds the training job"};
}

console::UserError cannot_enter(pid_t pid, const attach::InjectOptions& options, const base::Error& error) {
  const std::string again = fmt::format("lowtide snapshot {}", pid);
  const std::string what =
      fmt::format("cannot take a snapshot of process {}: {}", pid, base::printable(error.message));
  switch (error.code) {
    case base::ErrorCode::Gone:
      return no_such_process(what);
    case base::ErrorCode::Unsupported:
      if (attach::sees_another(pid, options.agent_path)) {
        return {what, "the process must load the agent, but it has another file system (a container)",
                "install lowtide in its container and run there: lowtide snapshot PID"};
      }
      return {what, "a snapshot needs CPython " + wire::known_pythons() + " with the GIL",
              fmt::format("lowtide attach --deep {} finds the lines that allocate, in any language", pid)};
    case base::ErrorCode::Io:
      return {what, "it was busy, stopped or waiting in the kernel; lowtide did not change it",
              again + ", a little later"};
    default:
      break;
  }
  const attach::Advice advice = attach::advise(pid, error);
  return {what, advice.why,
          attach::with_privileges(again, ::geteuid()) + ", or start the job with lowtide run"};
}

console::UserError cannot_enter_by_remote_exec(pid_t pid, const base::Error& error) {
  const std::string what = fmt::format("cannot take a snapshot of process {} by sys.remote_exec: {}", pid,
                                       base::printable(error.message));
  const std::string by_ptrace = fmt::format("lowtide snapshot {}, without --remote-exec", pid);
  switch (error.code) {
    case base::ErrorCode::Gone:
      return no_such_process(what);
    case base::ErrorCode::Unsupported:
      return {what,
              "it needs CPython " + wire::python_name(wire::kFirstRemoteExec) +
                  " or newer with the GIL, outside of a container, with remote debugging enabled",
              by_ptrace};
    case base::ErrorCode::Io:
      return {what,
              "its main thread waits or is in a long call into C, so it runs no script; lowtide did not "
              "change it",
              by_ptrace};
    default:
      return {what, "it needs the same user and kernel.yama.ptrace_scope 0, or CAP_SYS_PTRACE",
              attach::with_privileges(by_ptrace, ::geteuid())};
  }
}

using Begun = base::Result<attach::Injected>;

std::variant<attach::Injected, console::UserError> enter(pid_t pid, const attach::InjectOptions& options,
                                                         const attach::WalkLimits& limits, WayIn way) {
  if (way == WayIn::RemoteExec) {
    Begun begun = attach::begin_snapshot_by_remote_exec(pid, options, limits);
    if (begun) return std::move(begun).value();
    return cannot_enter_by_remote_exec(pid, begun.error());
  }
  attach::Entry first = attach::begin_snapshot(pid, options, limits);
  if (first.outcome) return std::move(first.outcome).value();
  console::UserError user_error = cannot_enter(pid, options, first.outcome.error());
  const base::ErrorCode code = first.outcome.error().code;
  if (first.was_entered || code == base::ErrorCode::Gone || code == base::ErrorCode::Unsupported ||
      !attach::has_remote_exec(pid)) {
    return user_error;
  }
  Begun second = attach::begin_snapshot_by_remote_exec(pid, options, limits);
  if (second) return std::move(second).value();
  user_error.what += "; nor by sys.remote_exec: " + base::printable(second.error().message);
  return user_error;
}

// The forked child waited for a lock of the job, or crashed on an object that another thread was changing.
// Another child may succeed.
struct Unfinished {
  std::string why;
  std::optional<model::Snapshot> part = {};
};

std::variant<model::Snapshot, console::UserError, Unfinished> try_once(pid_t pid,
                                                                       const attach::WalkLimits& limits,
                                                                       WayIn way,
                                                                       const std::string& library) {
  auto socket = observe::SnapshotSocket::open();
  if (!socket) {
    return console::UserError{"cannot take a snapshot: " + socket.error().message,
                              "the forked child needs a socket to send its result to",
                              "set TMPDIR or XDG_RUNTIME_DIR to a folder that you can write to"};
  }
  attach::InjectOptions options;
  options.agent_path = library;
  options.socket_path = socket.value().path();
  options.answer_limit = limits.to_begin + std::chrono::seconds(3);
  const double at_s = base::unix_seconds();
  const auto begun = enter(pid, options, limits, way);
  if (const auto* user_error = std::get_if<console::UserError>(&begun)) return *user_error;
  auto snapshot = socket.value().receive(std::chrono::seconds(10), limits.to_end);
  const bool by_ptrace = std::get<attach::Injected>(begun).borrowed_tid != 0;
  if (by_ptrace) attach::end_snapshot(pid, options);
  if (!snapshot && snapshot.error().code == base::ErrorCode::Gone)
    return Unfinished{snapshot.error().message};
  if (!snapshot) {
    return console::UserError{
        fmt::format("the snapshot of process {} failed: {}", pid, snapshot.error().message),
        "the process ended, or the forked child that reads the heap was killed or got no CPU (it runs at low "
        "priority)",
        fmt::format("lowtide snapshot --time-limit 5min {}", pid)};
  }
  snapshot.value().pid = pid;
  snapshot.value().at_s = at_s;
  snapshot.value().pause_s =
      std::chrono::duration<double>(std::get<attach::Injected>(begun).pause_of_python).count();
  constexpr double kAtMostBeforeS = 1;  // the child ends itself when its time is over
  const double limit_s = std::chrono::duration<double>(limits.to_end).count();
  const bool had_time = base::unix_seconds() - at_s < limit_s - kAtMostBeforeS;
  if (!snapshot.value().is_finished && had_time) return Unfinished{"", std::move(snapshot).value()};
  return std::move(snapshot).value();
}

}  // namespace

std::variant<model::Snapshot, console::UserError> take_snapshot(pid_t pid, const attach::WalkLimits& limits,
                                                                WayIn way) {
  const auto library = find_agent_library();
  if (!library) {
    return console::UserError{"cannot take a snapshot: liblowtide_agent.so was not found",
                              "lowtide searches its own folder, ../lib/lowtide and the path in LOWTIDE_AGENT",
                              "install lowtide again, or set LOWTIDE_AGENT to the path of the library"};
  }
  if (const auto reason = reason_against_snapshot({}, pid)) {
    return console::UserError{fmt::format("no snapshot of process {}: it could kill the job", pid), *reason,
                              "raise the limit of the cgroup, or write 0 to its memory.oom.group"};
  }
  constexpr int kMostTries = 3;
  for (int tries = 1;; ++tries) {
    auto taken = try_once(pid, limits, way, *library);
    if (auto* user_error = std::get_if<console::UserError>(&taken)) return std::move(*user_error);
    if (auto* whole = std::get_if<model::Snapshot>(&taken)) return std::move(*whole);
    if (tries < kMostTries) continue;
    auto& unfinished = std::get<Unfinished>(taken);
    if (unfinished.part) return std::move(*unfinished.part);
    return console::UserError{fmt::format("the snapshot of process {} failed {} times", pid, tries),
                              unfinished.why, fmt::format("lowtide snapshot {}, a little later", pid)};
  }
}

}  // namespace lowtide::watch
