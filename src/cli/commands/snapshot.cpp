// `lowtide snapshot`: what a live Python process holds, now.

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <variant>

#include "base/text.h"
#include "base/units.h"
#include "cli/commands/all.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/parse.h"
#include "cli/report_style.h"
#include "console/user_error.h"
#include "explain/evidence/snapshots.h"
#include "ingest/snapshot_json.h"
#include "show/snapshot.h"
#include "watch/deep_attach.h"
#include "watch/find_jobs.h"
#include "watch/signals.h"
#include "watch/take_snapshot.h"

namespace lowtide::cli {
namespace {

console::ExitCode refuse(std::string what, std::string why, std::string hint,
                         console::ExitCode code = console::ExitCode::Usage) {
  console::print_error({std::move(what), std::move(why), std::move(hint)});
  return code;
}

bool tell(const model::SnapshotReport& report, const ReportStyle& style, Output& output) {
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

console::ExitCode show_difference(const Arguments& arguments, const ReportStyle& style) {
  if (arguments.positionals().size() != 2) {
    return refuse("--diff needs two snapshots", "the earlier and the later one",
                  "lowtide snapshot --diff before.json after.json");
  }
  auto earlier = read_snapshot(arguments.positionals()[0]);
  if (const auto* user_error = std::get_if<console::UserError>(&earlier)) {
    console::print_error(*user_error);
    return console::ExitCode::Unreadable;
  }
  auto later = read_snapshot(arguments.positionals()[1]);
  if (const auto* user_error = std::get_if<console::UserError>(&later)) {
    console::print_error(*user_error);
    return console::ExitCode::Unreadable;
  }
  Output output;
  tell(explain::compare_snapshots(std::get<model::Snapshot>(earlier),
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
      console::print_error(*user_error);
      return console::ExitCode::Unreadable;
    }
    auto& snapshot = std::get<model::Snapshot>(taken);
    const bool goes_on = first ? tell(explain::compare_snapshots(*first, snapshot), style, output)
                               : tell(explain::describe_snapshot(snapshot), style, output);
    if (!every_s || !goes_on) break;
    if (!first) first = std::move(snapshot);
    if (!wait_or_signal(*signals, *every_s)) break;
    if (style.form == ReportStyle::Form::Text) output.write("\n");
  }
  return output.finish() ? console::ExitCode::NoLeak : console::ExitCode::Unreadable;
}

std::optional<pid_t> find_target(const Arguments& arguments) {
  if (arguments.has("find")) {
    const auto job = watch::choose_job({});
    if (!job)
      console::print_error({"found no training process",
                            "no python that has torch, jax or tensorflow loaded runs as this user",
                            "lowtide snapshot PID"});
    return job;
  }
  const std::string& text = arguments.positionals().front();
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

console::ExitCode run(const Arguments& arguments) {
  const auto style = choose_style(arguments, "snapshot");
  if (const auto* user_error = std::get_if<console::UserError>(&style)) {
    console::print_error(*user_error);
    return console::ExitCode::Usage;
  }
  if (arguments.has("diff")) return show_difference(arguments, std::get<ReportStyle>(style));
  if (arguments.has("find") != arguments.positionals().empty() || arguments.positionals().size() > 1) {
    return refuse("snapshot needs one pid, or --find, or --diff and two files",
                  "a snapshot is of one process", "lowtide snapshot 4711");
  }
  attach::WalkLimits limits;
  std::optional<double> every_s;
  if (const auto text = arguments.text("watch")) {
    const auto seconds = base::parse_seconds(*text);
    if (!seconds || seconds.value() < 0.1) {
      return refuse(fmt::format("--watch takes a time, not '{}'", base::printable(*text, 40)),
                    "at least 100ms", "lowtide snapshot --watch 10s PID");
    }
    every_s = seconds.value();
  }
  if (const auto text = arguments.text("time-limit")) {
    const auto seconds = base::parse_seconds(*text);
    if (!seconds || seconds.value() < 0.1 || seconds.value() > 3600) {
      return refuse(fmt::format("--time-limit takes a time, not '{}'", base::printable(*text, 40)),
                    "100ms to 1h", "lowtide snapshot --time-limit 2min PID");
    }
    limits.to_end = std::chrono::milliseconds(static_cast<long>(seconds.value() * 1000));
  }
  if (const auto text = arguments.text("memory-limit")) {
    const auto bytes = base::parse_size(*text);
    if (!bytes || bytes.value() < (16U << 20U)) {
      return refuse(fmt::format("--memory-limit takes a size, not '{}'", base::printable(*text, 40)),
                    "at least 16M", "lowtide snapshot --memory-limit 1G PID");
    }
    limits.memory_mb = bytes.value() >> 20U;
  }
  const auto pid = find_target(arguments);
  if (!pid) return arguments.has("find") ? console::ExitCode::Unreadable : console::ExitCode::Usage;
  const watch::WayIn way = arguments.has("remote-exec") ? watch::WayIn::RemoteExec : watch::WayIn::Any;
  return look_into(*pid, every_s, limits, way, std::get<ReportStyle>(style));
}

}  // namespace

Command snapshot_command() {
  return {
      "snapshot",
      "Show what a live Python process holds, and what keeps it",
      "Enters the process by its pid, stops its interpreter for as long as a fork takes, and walks over all "
      "of its "
      "objects in the forked child: how many of which type, tensors by device, type and shape (each storage "
      "counted "
      "once), and the variables that keep the most memory alive. With --watch or --diff: which of them grew. "
      "Nothing "
      "is changed in the process, and it need not have been started by lowtide.",
      {"PID", "the process (or the shell that started it); with --diff two files", true, {}},
      {
          {"watch", "TIME", "again every so often, compared with the first"},
          {"diff", "", "compare two snapshots that --json has written"},
          {"find", "", "look for the training process with the most memory"},
          {"remote-exec", "", "without ptrace, by sys.remote_exec (Python 3.14 and later)"},
          {"time-limit", "TIME", "how long the child may walk (default 1min)"},
          {"memory-limit", "SIZE", "how much memory the child may take for its tables (default 4G)"},
          {"json", "", "all of it as JSON (docs/json.md); --diff reads it"},
          {"quiet", "", "only the largest holders"},
          {"width", "COLUMNS", "of the text (default: that of the terminal)"},
          {"color", "WHEN", "auto, always or never", {"auto", "always", "never"}},
      },
      {
          {"lowtide snapshot 4711", "what process 4711 holds"},
          {"lowtide snapshot --watch 10s 4711", "which variables grow, until Ctrl-C"},
          {"lowtide snapshot --json 4711 > before.json", "keep one, for later"},
          {"lowtide snapshot --diff before.json after.json", "what grew between two"},
      },
      run,
  };
}

}  // namespace lowtide::cli
