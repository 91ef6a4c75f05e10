// `lowtide snapshot`: the memory of a live Python process, by variable, tensor and type.

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
#include "cli/input/input.h"
#include "cli/output/output.h"
#include "cli/output/report_style.h"
#include "cli/syntax/parse.h"
#include "cli/syntax/refuse.h"
#include "console/user_error.h"
#include "explain/evidence/snapshots.h"
#include "ingest/snapshot_json.h"
#include "show/snapshot.h"
#include "show/words.h"
#include "watch/entry/deep_target.h"
#include "watch/job/find_jobs.h"
#include "watch/job/signals.h"
#include "watch/snapshots/take_snapshot.h"

namespace lowtide::cli {
namespace {

using console::takes_seconds;
using console::turns_on;

bool write_text(const std::string& text, Output& output) {
  output.write(text);
  output.flush();
  return !output.is_over();
}

std::string written(const model::SnapshotReport& report, const ReportStyle& style) {
  return style.form == ReportStyle::Form::Json ? show::to_json(report) : show::to_text(report, style.text);
}

// With --watch, the snapshots after the first.
std::string written_again(const model::SnapshotReport& report, const ReportStyle& style) {
  return style.form == ReportStyle::Form::Json ? show::to_json(report)
                                               : show::to_watch_text(report, style.text);
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
                              "lowtide snapshot --json writes such files",
                              "lowtide snapshot PID --json > before.json"};
  }
  return std::move(snapshot).value();
}

console::ExitCode show_difference(const std::vector<std::string>& files, const ReportStyle& style) {
  if (files.size() != 2) {
    return refuse({"--diff needs two snapshots", "the earlier one and the later one",
                   "lowtide snapshot --diff before.json after.json"});
  }
  auto earlier = read_snapshot(files[0]);
  if (const auto* user_error = std::get_if<console::UserError>(&earlier))
    return refuse(*user_error, console::ExitCode::Unreadable);
  auto later = read_snapshot(files[1]);
  if (const auto* user_error = std::get_if<console::UserError>(&later))
    return refuse(*user_error, console::ExitCode::Unreadable);
  Output output;
  write_text(written(explain::compare_snapshots(std::get<model::Snapshot>(earlier),
                                                std::move(std::get<model::Snapshot>(later))),
                     style),
             output);
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

// One now, and with --watch more of them, each compared with the first.
console::ExitCode take_snapshots(pid_t pid, std::optional<double> every_s, const attach::WalkLimits& limits,
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
    const std::string text = first ? written_again(explain::compare_snapshots(*first, snapshot), style)
                                   : written(explain::describe_snapshot(snapshot), style);
    if (!write_text(text, output) || !every_s) break;
    if (!first) {
      first = std::move(snapshot);
      if (style.form == ReportStyle::Form::Text) write_text("\nGrowth since this snapshot\n", output);
    }
    if (!wait_or_signal(*signals, *every_s)) break;
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

// A snapshot shows one process only. Memory that a worker holds does not appear in a snapshot of its parent.
void warn_about_larger_processes(const observe::ProcessTree& tree, pid_t target) {
  constexpr std::uint64_t kMuchMore = 2;
  constexpr std::uint64_t kLeastBytes = 50'000'000;
  const observe::Member* chosen = tree.find(target);
  const observe::Member* largest = nullptr;
  for (const observe::Member& member : tree.members()) {
    if (largest == nullptr || member.status.anon_bytes > largest->status.anon_bytes) largest = &member;
  }
  if (chosen == nullptr || largest == nullptr || largest->status.anon_bytes < kLeastBytes ||
      largest->status.anon_bytes < kMuchMore * chosen->status.anon_bytes) {
    return;
  }
  console::print_warning(
      fmt::format("process {} of the same process tree holds {}, process {} only {}; try lowtide snapshot {}",
                  largest->info.pid, show::bytes_words(largest->status.anon_bytes), target,
                  show::bytes_words(chosen->status.anon_bytes), largest->info.pid));
}

std::optional<pid_t> find_target(const SnapshotFlags& flags, const Words& words) {
  if (flags.find) {
    const auto job = watch::choose_job({});
    if (!job)
      console::print_error({"found no training process",
                            "no Python process of this user has torch, jax or tensorflow loaded",
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
    console::print_error({fmt::format("cannot take a snapshot of process {}: it is lowtide itself", *pid),
                          "lowtide runs no Python", "lowtide snapshot --find"});
    return std::nullopt;
  }
  observe::ProcessTree::Options options;
  options.root_pid = *pid;
  options.own_pid = ::getpid();
  auto tree = observe::ProcessTree::open(options, 0);
  if (!tree) return pid;  // taking the snapshot reports why not
  const pid_t target = watch::choose_deep_target(tree.value(), *pid);
  if (target != *pid) {
    console::print_warning(
        fmt::format("process {} is a wrapper; this snapshot is of its child {}", *pid, target));
  }
  warn_about_larger_processes(tree.value(), target);
  return target;
}

console::ExitCode run_snapshot(const SnapshotFlags& flags, const Words& words) {
  const auto style = choose_style(flags, "snapshot");
  if (const auto* user_error = std::get_if<console::UserError>(&style)) return refuse(*user_error);
  if (flags.diff) return show_difference(words.positionals, std::get<ReportStyle>(style));
  if (flags.find != words.positionals.empty() || words.positionals.size() > 1) {
    return refuse({"snapshot needs one pid, or --find, or --diff and two files",
                   "it takes a snapshot of one process", "lowtide snapshot 4711"});
  }
  attach::WalkLimits limits;
  if (flags.time_limit_s) {
    limits.to_end = std::chrono::milliseconds(static_cast<long>(*flags.time_limit_s * 1000));
  }
  if (flags.memory_limit_bytes) limits.memory_mb = *flags.memory_limit_bytes >> 20U;
  const auto pid = find_target(flags, words);
  if (!pid) return flags.find ? console::ExitCode::Unreadable : console::ExitCode::Usage;
  const watch::WayIn way = flags.remote_exec ? watch::WayIn::RemoteExec : watch::WayIn::Any;
  return take_snapshots(*pid, flags.every_s, limits, way, std::get<ReportStyle>(style));
}

}  // namespace

Command snapshot_command() {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  return with_flags<SnapshotFlags>(
      {"snapshot",
       "Show which variables of a live Python process hold its memory",
       "Takes a snapshot of the Python heap: the number and size of objects by type, the tensors by device, "
       "type and shape (each storage counted once), and the variables that hold the most memory. The "
       "interpreter is paused only while it forks; the child counts the objects. Nothing is changed in the "
       "process, and it need not have been started by lowtide. --watch and --diff show what grew.",
       {"PID", "the process, or the shell that started it; with --diff two files", true, {}},
       {
           {"lowtide snapshot 4711", "which variables of process 4711 hold memory"},
           {"lowtide snapshot --watch 10s 4711", "which variables grow, and how fast, until Ctrl-C"},
           {"lowtide snapshot --json 4711 > before.json", "save a snapshot"},
           {"lowtide snapshot --diff before.json after.json", "what grew between two snapshots"},
       }},
      {
          takes_seconds(
              {"watch", "TIME", "take a snapshot every TIME and compare it with the first one"},
              &SnapshotFlags::every_s, 0.1, kForever,
              {"at least 100ms", "lowtide snapshot --watch 10s PID", "--{} takes a time, not '{}'"}),
          turns_on("diff", "compare two files written with --json", &SnapshotFlags::diff),
          turns_on("find", "choose the training process that uses the most memory", &SnapshotFlags::find),
          turns_on("remote-exec", "use sys.remote_exec instead of ptrace (Python 3.14 and later)",
                   &SnapshotFlags::remote_exec),
          takes_seconds(
              {"time-limit", "TIME", "how long the child may take (default 1min)"},
              &SnapshotFlags::time_limit_s, 0.1, 3600,
              {"100ms to 1h", "lowtide snapshot --time-limit 2min PID", "--{} takes a time, not '{}'"}),
          console::takes_bytes(
              {"memory-limit", "SIZE", "how much memory the child may use (default 4G)"},
              &SnapshotFlags::memory_limit_bytes, 16U << 20U,
              {"at least 16M", "lowtide snapshot --memory-limit 1G PID", "--{} takes a size, not '{}'"}),
          turns_on("json", "print JSON (docs/json.md), which --diff reads", &SnapshotFlags::json),
          turns_on("quiet", "print the largest variables only", &SnapshotFlags::quiet),
          width_flag(),
          color_flag(),
      },
      run_snapshot);
}

}  // namespace lowtide::cli
