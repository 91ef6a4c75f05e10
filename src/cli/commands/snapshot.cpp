// `lowtide snapshot`: what a live Python process holds, now.

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <limits>
#include <optional>
#include <variant>

#include "base/text.h"
#include "cli/commands/all.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/parse.h"
#include "cli/refuse.h"
#include "cli/report_style.h"
#include "console/user_error.h"
#include "explain/evidence/snapshots.h"
#include "ingest/snapshot_json.h"
#include "show/snapshot.h"
#include "watch/deep_target.h"
#include "watch/find_jobs.h"
#include "watch/signals.h"
#include "watch/take_snapshot.h"

namespace lowtide::cli {
namespace {

using console::takes_seconds;
using console::turns_on;

bool write_report(const model::SnapshotReport& report, const ReportStyle& style, Output& output) {
  output.write(style.form == ReportStyle::Form::Json ? show::to_json(report)
                                                     : show::to_text(report, style.text));
  output.flush();
  return !output.is_over();
}

std::variant<model::Snapshot, console::UserError> read_snapshot(const std::string& path) {
  constexpr std::size_t kMostBytes = 256U << 20U;
  auto opened = open_input(path);
  if (auto* user_error = std::get_if<console::UserError>(&opened)) return *user_error;
  std::string text;
  char part[65536];
  for (;;) {
    const ssize_t got = ::read(std::get<Input>(opened).fd(), part, sizeof(part));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || text.size() > kMostBytes) break;
    text.append(part, static_cast<std::size_t>(got));
  }
  auto snapshot = ingest::parse_snapshot_json(text);
  if (!snapshot) {
    return console::UserError{fmt::format("cannot read {}: {}", input_name(path), snapshot.error().message),
                              "a snapshot is what lowtide snapshot --json writes",
                              "lowtide snapshot PID --json > before.json"};
  }
  return std::move(snapshot).value();
}

console::ExitCode show_difference(const std::vector<std::string>& files, const ReportStyle& style) {
  if (files.size() != 2) {
    return refuse({"--diff needs two snapshots", "the earlier and the later one",
                   "lowtide snapshot --diff before.json after.json"});
  }
  auto earlier = read_snapshot(files[0]);
  if (const auto* user_error = std::get_if<console::UserError>(&earlier))
    return refuse(*user_error, console::ExitCode::Unreadable);
  auto later = read_snapshot(files[1]);
  if (const auto* user_error = std::get_if<console::UserError>(&later))
    return refuse(*user_error, console::ExitCode::Unreadable);
  Output output;
  write_report(explain::compare_snapshots(std::get<model::Snapshot>(earlier),
                                          std::move(std::get<model::Snapshot>(later))),
               style, output);
  return output.finish() ? console::ExitCode::NoLeak : console::ExitCode::Unreadable;
}

// False: it was interrupted.
bool wait_or_signal(watch::Signals& signals, double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now())
            .count();
    if (left <= 0) return true;
    pollfd waited{signals.fd(), POLLIN, 0};
    ::poll(&waited, 1, static_cast<int>(std::min<long>(left, 60000)));
    while (const auto signal = signals.next()) {
      if (signal->number != SIGCHLD) return false;
    }
  }
}

// One now, and with --watch one after the other, each compared with the first.
console::ExitCode look_into(pid_t pid, std::optional<double> every_s, const attach::WalkLimits& limits,
                            watch::WayIn way, const ReportStyle& style) {
  std::optional<watch::Signals> signals;
  if (every_s) signals.emplace();
  std::optional<model::Snapshot> first;
  Output output;
  for (;;) {
    auto taken = watch::take_snapshot(pid, limits, way);
    if (const auto* user_error = std::get_if<console::UserError>(&taken)) {
      output.finish();
      return refuse(*user_error, console::ExitCode::Unreadable);
    }
    auto& snapshot = std::get<model::Snapshot>(taken);
    const bool goes_on = first ? write_report(explain::compare_snapshots(*first, snapshot), style, output)
                               : write_report(explain::describe_snapshot(snapshot), style, output);
    if (!every_s || !goes_on) break;
    if (!first) first = std::move(snapshot);
    if (!wait_or_signal(*signals, *every_s)) break;
    if (style.form == ReportStyle::Form::Text) output.write("\n");
  }
  return output.finish() ? console::ExitCode::NoLeak : console::ExitCode::Unreadable;
}

struct SnapshotFlags : StyleFlags {
  std::optional<double> every_s = {};
  bool diff = false;
  bool find = false;
  bool remote_exec = false;
  std::optional<double> time_limit_s = {};
  std::optional<std::uint64_t> memory_limit_bytes = {};
};

std::optional<pid_t> find_target(const SnapshotFlags& flags, const Words& words) {
  if (flags.find) {
    const auto job = watch::choose_job({});
    if (!job)
      console::print_error({"found no training process",
                            "no python that has torch, jax or tensorflow loaded runs as this user",
                            "lowtide snapshot PID"});
    return job;
  }
  const std::string& text = words.positionals.front();
  const auto pid = parse_pid(text);
  if (!pid) {
    console::print_error({fmt::format("'{}' is not a pid", base::printable(text, 40)),
                          "a pid is a number above 0", "lowtide snapshot --find"});
    return std::nullopt;
  }
  if (*pid == ::getpid()) {
    console::print_error({fmt::format("cannot look into process {}: it is this lowtide", *pid),
                          "there is no Python in it", "lowtide snapshot --find"});
    return std::nullopt;
  }
  observe::ProcessTree::Options options;
  options.root_pid = *pid;
  options.own_pid = ::getpid();
  auto tree = observe::ProcessTree::open(options, 0);
  if (!tree) return pid;  // entering it says why not
  const pid_t target = watch::choose_deep_target(tree.value(), *pid);
  if (target != *pid) {
    console::print_warning(
        fmt::format("process {} is a wrapper: this is of process {} below it", *pid, target));
  }
  return target;
}

console::ExitCode run_snapshot(const SnapshotFlags& flags, const Words& words) {
  const auto style = choose_style(flags, "snapshot");
  if (const auto* user_error = std::get_if<console::UserError>(&style)) return refuse(*user_error);
  if (flags.diff) return show_difference(words.positionals, std::get<ReportStyle>(style));
  if (flags.find != words.positionals.empty() || words.positionals.size() > 1) {
    return refuse({"snapshot needs one pid, or --find, or --diff and two files",
                   "a snapshot is of one process", "lowtide snapshot 4711"});
  }
  attach::WalkLimits limits;
  if (flags.time_limit_s) {
    limits.to_end = std::chrono::milliseconds(static_cast<long>(*flags.time_limit_s * 1000));
  }
  if (flags.memory_limit_bytes) limits.memory_mb = *flags.memory_limit_bytes >> 20U;
  const auto pid = find_target(flags, words);
  if (!pid) return flags.find ? console::ExitCode::Unreadable : console::ExitCode::Usage;
  const watch::WayIn way = flags.remote_exec ? watch::WayIn::RemoteExec : watch::WayIn::Any;
  return look_into(*pid, flags.every_s, limits, way, std::get<ReportStyle>(style));
}

}  // namespace

Command snapshot_command() {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  return with_flags<SnapshotFlags>(
      {"snapshot",
       "Show what a live Python process holds, and what keeps it",
       "Enters the process by its pid, stops its interpreter for as long as a fork takes, and walks over all "
       "of its "
       "objects in the forked child: how many of which type, tensors by device, type and shape (each storage "
       "counted "
       "once), and the variables that keep the most memory alive. With --watch or --diff: which of them "
       "grew. "
       "Nothing "
       "is changed in the process, and it need not have been started by lowtide.",
       {"PID", "the process (or the shell that started it); with --diff two files", true, {}},
       {
           {"lowtide snapshot 4711", "what process 4711 holds"},
           {"lowtide snapshot --watch 10s 4711", "which variables grow, until Ctrl-C"},
           {"lowtide snapshot --json 4711 > before.json", "keep one, for later"},
           {"lowtide snapshot --diff before.json after.json", "what grew between two"},
       }},
      {
          takes_seconds(
              {"watch", "TIME", "again every so often, compared with the first"}, &SnapshotFlags::every_s,
              0.1, kForever,
              {"at least 100ms", "lowtide snapshot --watch 10s PID", "--{} takes a time, not '{}'"}),
          turns_on("diff", "compare two snapshots that --json has written", &SnapshotFlags::diff),
          turns_on("find", "look for the training process with the most memory", &SnapshotFlags::find),
          turns_on("remote-exec", "without ptrace, by sys.remote_exec (Python 3.14 and later)",
                   &SnapshotFlags::remote_exec),
          takes_seconds(
              {"time-limit", "TIME", "how long the child may walk (default 1min)"},
              &SnapshotFlags::time_limit_s, 0.1, 3600,
              {"100ms to 1h", "lowtide snapshot --time-limit 2min PID", "--{} takes a time, not '{}'"}),
          console::takes_bytes(
              {"memory-limit", "SIZE", "how much memory the child may take for its tables (default 4G)"},
              &SnapshotFlags::memory_limit_bytes, 16U << 20U,
              {"at least 16M", "lowtide snapshot --memory-limit 1G PID", "--{} takes a size, not '{}'"}),
          turns_on("json", "all of it as JSON (docs/json.md); --diff reads it", &SnapshotFlags::json),
          turns_on("quiet", "only the largest holders", &SnapshotFlags::quiet),
          width_flag({"width", "COLUMNS", "of the text (default: that of the terminal)"}),
          color_flag("auto, always or never"),
      },
      run_snapshot);
}

}  // namespace lowtide::cli
