// `lowtide attach`: watch a job that runs already.

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <variant>

#include "base/text.h"
#include "base/units.h"
#include "watch/agent_preload.h"
#include "watch/final_report.h"
#include "cli/commands/all.h"
#include "console/user_error.h"
#include "watch/deep_attach.h"
#include "watch/find_jobs.h"
#include "watch/live_screen.h"
#include "watch/output_steps.h"
#include "watch/recording_file.h"
#include "watch/signals.h"
#include "cli/watch_flags.h"
#include "watch/watch_loop.h"
#include "observe/agents/agent_registry.h"
#include "watch/watch.h"
#include "procfs/process_info.h"
#include "base/clock.h"

namespace lowtide::cli {
namespace {

console::ExitCode refuse(std::string what, std::string why, std::string attempt, console::ExitCode code = console::ExitCode::Usage) {
  console::complain({std::move(what), std::move(why), std::move(attempt)});
  return code;
}

std::string name_of(pid_t pid) {
  const auto command = procfs::read_command_line({}, pid);
  return command ? fmt::format("process {} ({})", pid, base::printable(command.value(), 60))
                 : fmt::format("process {}", pid);
}

console::ExitCode cannot_watch(pid_t pid, const base::Error& error) {
  switch (error.code) {
    case base::ErrorCode::Gone:
      return refuse(fmt::format("cannot watch process {}: {}", pid, error.message),
                    "no process of that number runs now", "lowtide attach --find", console::ExitCode::Unreadable);
    case base::ErrorCode::Unsupported:
      return refuse(fmt::format("cannot watch {}: {}", name_of(pid), error.message),
                    "it is a part of the kernel", "lowtide attach --find", console::ExitCode::Unreadable);
    default:
      return refuse(fmt::format("cannot watch {}: {}", name_of(pid), error.message),
                    "it belongs to another user, or /proc hides it (hidepid)",
                    "as that user or as root: lowtide attach " + std::to_string(pid), console::ExitCode::Unreadable);
  }
}

// A wrapper's own memory says nothing: what is below it is watched, and said.
void tell_target(const watch::Watch& watch, pid_t pid) {
  const observe::Member* root = watch.monitor().tree().find(pid);
  if (root == nullptr) return;
  const std::size_t below = watch.monitor().tree().members().size() - 1;
  std::string words = fmt::format("lowtide: watching {}", name_of(pid));
  if (root->info.role == model::ProcessRole::Wrapper) {
    words += fmt::format(", a wrapper, and the {} process{} below it", below, below == 1 ? "" : "es");
  } else if (below > 0) {
    words += fmt::format(" and the {} process{} below it", below, below == 1 ? "" : "es");
  }
  std::fputs((words + "; Ctrl-C ends the watching, not the job\n").c_str(), stderr);
}

// Loads the agent into a job that runs already.
std::optional<console::Complaint> go_deep(std::optional<observe::AgentHub>& hub, std::optional<watch::DeepAttach>& deep,
                                 pid_t pid) {
  const auto library = watch::find_agent_library();
  if (!library) {
    return console::Complaint{"cannot go deep: liblowtide_agent.so is not there",
                     "it lies beside lowtide, or in ../lib/lowtide, or where LOWTIDE_AGENT says",
                     fmt::format("lowtide attach {}", pid)};
  }
  auto opened = observe::AgentHub::open();
  if (!opened) {
    return console::Complaint{fmt::format("cannot go deep: {}", opened.error().message),
                     "the agent needs a socket to speak to", fmt::format("lowtide attach {}", pid)};
  }
  hub.emplace(std::move(opened).value());
  hub->note("what was allocated before the attach has no line");
  auto begun = watch::DeepAttach::begin(pid, *library, hub->socket_path());
  if (auto* complaint = std::get_if<console::Complaint>(&begun)) return *complaint;
  deep.emplace(std::move(std::get<watch::DeepAttach>(begun)));
  return std::nullopt;
}

console::ExitCode watch_process(pid_t pid, const watch::Settings& flags) {
  if (flags.screen) {
    if (const auto trouble = watch::LiveScreen::find_trouble()) {
      console::complain(*trouble);
      return console::ExitCode::Usage;
    }
  }
  watch::Signals signals;
  const double began_s = base::steady_seconds();
  watch::Watch::Options options;
  options.interval_s = flags.interval_s;
  options.monitor.tree.root_pid = pid;
  options.monitor.tree.own_pid = ::getpid();
  options.monitor.limit_bytes = flags.limit_bytes;
  options.monitor.use_gpu = flags.use_gpu;
  options.monitor.use_pss = flags.use_pss;
  // Looked at before anything is written, so that a wrong pid leaves no file.
  auto tree = observe::ProcessTree::open(options.monitor.tree, 0);
  if (!tree) return cannot_watch(pid, tree.error());
  std::optional<observe::AgentHub> hub;
  std::optional<watch::DeepAttach> deep;
  if (flags.deep) {
    if (const auto complaint = go_deep(hub, deep, watch::choose_deep_target(tree.value(), pid))) {
      console::complain(*complaint);
      return console::ExitCode::Unreadable;
    }
    options.monitor.agents = &*hub;
  }

  const auto command = procfs::read_arguments({}, pid);
  record::Header header = watch::make_header(command ? command.value() : std::vector<std::string>{});
  header.root_pid = pid;
  header.attached = true;
  header.limit_bytes = flags.limit_bytes;
  header.interval_s = flags.interval_s.value_or(0);
  watch::RecordingFile file = watch::make_recording(flags, header);
  for (const std::string& warning : file.warnings) console::warn(warning);
  auto watch = watch::Watch::begin(options, began_s, std::move(file.writer));
  if (!watch) {
    file.discard();
    return cannot_watch(pid, watch.error());
  }
  if (!flags.quiet && !flags.screen) tell_target(watch.value(), pid);
  watch::OutputSteps steps({});
  if (flags.read_steps) {
    for (const observe::Member& member : watch.value().monitor().tree().members()) {
      steps.consider(static_cast<pid_t>(member.info.pid), false);
    }
  }
  std::optional<watch::LiveScreen> screen;
  if (flags.screen) {
    screen.emplace(watch::LiveScreen::Options{.job = header.command, .pid = pid, .recording = file.path});
    if (!screen->is_open()) console::warn("the screen could not be opened; the job is watched all the same");
  }
  watch::WatchLoop loop(watch.value(), steps, signals,
                 {.root_pid = pid,
                  .duration_s = flags.duration_s,
                  .show_status = flags.show_status,
                  .read_steps = flags.read_steps,
                  .screen = screen ? &*screen : nullptr});
  const watch::WatchLoop::End end = loop.run();
  if (flags.trim_trial && end != watch::WatchLoop::End::JobEnded) watch.value().try_trim(watch::kTrimPatienceS);
  if (deep) {
    if (const std::string trouble = deep->end(); !trouble.empty()) console::warn(trouble);
  }
  if (end == watch::WatchLoop::End::JobEnded) watch.value().add_event(model::EventKind::Exit, "the job ended");
  watch.value().end();
  const console::ExitCode verdict = watch::tell_the_end(watch.value(), file, flags);
  return flags.gate ? verdict : console::ExitCode::NoLeak;
}

console::ExitCode run(const Arguments& arguments) {
  const auto flags = parse_watch_flags(arguments, "attach");
  if (const auto* complaint = std::get_if<console::Complaint>(&flags)) {
    console::complain(*complaint);
    return console::ExitCode::Usage;
  }
  const bool find = arguments.has("find");
  if (find == !arguments.positionals().empty()) {
    return refuse("attach needs a pid or --find", find ? "both were given" : "neither was given",
                  "lowtide attach 4711, or lowtide attach --find");
  }
  if (find) {
    const auto job = watch::choose_job({});
    if (!job) {
      return refuse(
          "found no training process", "no python that has torch, jax or tensorflow loaded runs as this user",
          "lowtide attach PID; ps -eo pid,rss,args --sort -rss shows the largest", console::ExitCode::Unreadable);
    }
    return watch_process(*job, std::get<watch::Settings>(flags));
  }
  const auto pid = watch::parse_pid(arguments.positionals().front());
  if (!pid) {
    return refuse(fmt::format("'{}' is not a pid", arguments.positionals().front()),
                  "a pid is a number above 0", "lowtide attach --find");
  }
  if (*pid == ::getpid()) {
    return refuse(fmt::format("cannot watch process {}: it is this lowtide", *pid),
                  "what it did would be seen as the job's doing", "lowtide attach --find");
  }
  return watch_process(*pid, std::get<watch::Settings>(flags));
}

}  // namespace

Command attach_command() {
  std::vector<Flag> flags = {
      {"find", "", "look for the training process with the most memory, and watch that"},
      {"deep", "", "load the allocation agent into the process: which lines allocate what grows"},
      screen_flag(),
      trim_trial_flag()};
  for (const Flag& flag : watch_flags()) flags.push_back(flag);
  return {
      "attach",
      "Watch a job that runs already",
      "Watches the process and everything below it from outside: nothing enters the job, nothing is stopped, "
      "unless --deep is given. Then one thread is borrowed for well under a millisecond to load the agent, "
      "and at "
      "the end to take its hooks out. Ctrl-C ends the watching and tells what was seen; the job goes on.",
      {"PID", "the process; if it is a wrapper, what it started is watched", false, {}},
      flags,
      {
          {"lowtide attach 4711", "watch process 4711 and its children"},
          {"lowtide attach --deep 4711", "and name the lines that allocate"},
          {"lowtide attach --find", "find the training job by itself"},
          {"lowtide attach --screen --deep 4711", "see it live on the whole terminal; q detaches"},
          {"lowtide attach --duration 10min --gate 4711", "for scripts: exit 1 when it leaks"},
      },
      run,
  };
}

}  // namespace lowtide::cli
