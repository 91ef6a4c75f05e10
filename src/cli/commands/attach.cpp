// `lowtide attach`: watch a job that runs already.

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <variant>

#include "base/text.h"
#include "base/units.h"
#include "cli/agent_preload.h"
#include "cli/closing_words.h"
#include "cli/commands/all.h"
#include "cli/complaint.h"
#include "cli/deep_attach.h"
#include "cli/find_jobs.h"
#include "cli/live_screen.h"
#include "cli/output_steps.h"
#include "cli/recording_file.h"
#include "cli/signals.h"
#include "cli/watch_flags.h"
#include "cli/watch_loop.h"
#include "observe/agent_hub.h"
#include "observe/watch.h"
#include "procfs/process_info.h"

namespace lowtide::cli {
namespace {

ExitCode refuse(std::string what, std::string why, std::string attempt, ExitCode code = ExitCode::Usage) {
  complain({std::move(what), std::move(why), std::move(attempt)});
  return code;
}

std::string name_of(pid_t pid) {
  const auto command = procfs::read_command_line({}, pid);
  return command ? fmt::format("process {} ({})", pid, base::printable(command.value(), 60))
                 : fmt::format("process {}", pid);
}

ExitCode cannot_watch(pid_t pid, const base::Error& error) {
  switch (error.code) {
    case base::ErrorCode::Gone:
      return refuse(fmt::format("cannot watch process {}: {}", pid, error.message),
                    "no process of that number runs now", "lowtide attach --find", ExitCode::Unreadable);
    case base::ErrorCode::Unsupported:
      return refuse(fmt::format("cannot watch {}: {}", name_of(pid), error.message),
                    "it is a part of the kernel", "lowtide attach --find", ExitCode::Unreadable);
    default:
      return refuse(fmt::format("cannot watch {}: {}", name_of(pid), error.message),
                    "it belongs to another user, or /proc hides it (hidepid)",
                    "as that user or as root: lowtide attach " + std::to_string(pid), ExitCode::Unreadable);
  }
}

// A wrapper's own memory says nothing: what is below it is watched, and said.
void tell_target(const observe::Watch& watch, pid_t pid) {
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
std::optional<Complaint> go_deep(std::optional<observe::AgentHub>& hub, std::optional<DeepAttach>& deep,
                                 pid_t pid) {
  const auto library = find_agent_library();
  if (!library) {
    return Complaint{"cannot go deep: liblowtide_agent.so is not there",
                     "it lies beside lowtide, or in ../lib/lowtide, or where LOWTIDE_AGENT says",
                     fmt::format("lowtide attach {}", pid)};
  }
  auto opened = observe::AgentHub::open();
  if (!opened) {
    return Complaint{fmt::format("cannot go deep: {}", opened.error().message),
                     "the agent needs a socket to speak to", fmt::format("lowtide attach {}", pid)};
  }
  hub.emplace(std::move(opened).value());
  hub->note("what was allocated before the attach has no line");
  auto begun = DeepAttach::begin(pid, *library, hub->socket_path());
  if (auto* complaint = std::get_if<Complaint>(&begun)) return *complaint;
  deep.emplace(std::move(std::get<DeepAttach>(begun)));
  return std::nullopt;
}

ExitCode watch_process(pid_t pid, const WatchFlags& flags) {
  if (flags.screen) {
    if (const auto trouble = LiveScreen::find_trouble()) {
      complain(*trouble);
      return ExitCode::Usage;
    }
  }
  Signals signals;
  const double began_s = observe::steady_seconds();
  observe::Watch::Options options;
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
  std::optional<DeepAttach> deep;
  if (flags.deep) {
    if (const auto complaint = go_deep(hub, deep, choose_deep_target(tree.value(), pid))) {
      complain(*complaint);
      return ExitCode::Unreadable;
    }
    options.monitor.agents = &*hub;
  }

  const auto command = procfs::read_arguments({}, pid);
  record::Header header = make_header(command ? command.value() : std::vector<std::string>{});
  header.root_pid = pid;
  header.attached = true;
  header.limit_bytes = flags.limit_bytes;
  header.interval_s = flags.interval_s.value_or(0);
  RecordingFile file = make_recording(flags, header);
  for (const std::string& warning : file.warnings) warn(warning);
  auto watch = observe::Watch::begin(options, began_s, std::move(file.writer));
  if (!watch) {
    file.discard();
    return cannot_watch(pid, watch.error());
  }
  if (!flags.quiet && !flags.screen) tell_target(watch.value(), pid);
  OutputSteps steps({});
  if (flags.read_steps) {
    for (const observe::Member& member : watch.value().monitor().tree().members()) {
      steps.consider(static_cast<pid_t>(member.info.pid), false);
    }
  }
  std::optional<LiveScreen> screen;
  if (flags.screen) {
    screen.emplace(LiveScreen::Options{.job = header.command, .pid = pid, .recording = file.path});
    if (!screen->is_open()) warn("the screen could not be opened; the job is watched all the same");
  }
  WatchLoop loop(watch.value(), steps, signals,
                 {.root_pid = pid,
                  .duration_s = flags.duration_s,
                  .show_status = flags.show_status,
                  .read_steps = flags.read_steps,
                  .screen = screen ? &*screen : nullptr});
  const WatchLoop::End end = loop.run();
  if (flags.trim_trial && end != WatchLoop::End::JobEnded) watch.value().try_trim(kTrimPatienceS);
  if (deep) {
    if (const std::string trouble = deep->end(); !trouble.empty()) warn(trouble);
  }
  if (end == WatchLoop::End::JobEnded) watch.value().add_event(model::EventKind::Exit, "the job ended");
  watch.value().end();
  const ExitCode verdict = tell_the_end(watch.value(), file, flags);
  return flags.gate ? verdict : ExitCode::NoLeak;
}

ExitCode run(const Arguments& arguments) {
  const auto flags = parse_watch_flags(arguments, "attach");
  if (const auto* complaint = std::get_if<Complaint>(&flags)) {
    complain(*complaint);
    return ExitCode::Usage;
  }
  const bool find = arguments.has("find");
  if (find == !arguments.positionals().empty()) {
    return refuse("attach needs a pid or --find", find ? "both were given" : "neither was given",
                  "lowtide attach 4711, or lowtide attach --find");
  }
  if (find) {
    const auto job = choose_job({});
    if (!job) {
      return refuse(
          "found no training process", "no python that has torch, jax or tensorflow loaded runs as this user",
          "lowtide attach PID; ps -eo pid,rss,args --sort -rss shows the largest", ExitCode::Unreadable);
    }
    return watch_process(*job, std::get<WatchFlags>(flags));
  }
  const auto pid = parse_pid(arguments.positionals().front());
  if (!pid) {
    return refuse(fmt::format("'{}' is not a pid", arguments.positionals().front()),
                  "a pid is a number above 0", "lowtide attach --find");
  }
  if (*pid == ::getpid()) {
    return refuse(fmt::format("cannot watch process {}: it is this lowtide", *pid),
                  "what it did would be seen as the job's doing", "lowtide attach --find");
  }
  return watch_process(*pid, std::get<WatchFlags>(flags));
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
