#include "watch/attach_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/text.h"
#include "console/user_error.h"
#include "observe/agents/agent_registry.h"
#include "procfs/process_info.h"
#include "watch/entry/agent_preload.h"
#include "watch/entry/deep_target.h"
#include "watch/entry/tree_entry.h"
#include "watch/final_report.h"
#include "watch/job/output_steps.h"
#include "watch/job/signals.h"
#include "watch/live_screen.h"
#include "watch/setup.h"
#include "watch/watch_loop.h"

namespace lowtide::watch {
namespace {

console::ExitCode refuse(std::string what, std::string why, std::string hint) {
  console::print_error({std::move(what), std::move(why), std::move(hint)});
  return console::ExitCode::Unreadable;
}

std::string name_of(pid_t pid) {
  const auto command = procfs::read_command_line({}, pid);
  return command ? fmt::format("process {} ({})", pid, base::printable(command.value(), 60))
                 : fmt::format("process {}", pid);
}

console::ExitCode cannot_watch(pid_t pid, const base::Error& error) {
  switch (error.code) {
    case base::ErrorCode::Gone:
    case base::ErrorCode::Ended:
      return refuse(fmt::format("cannot watch process {}: it {}", pid,
                                error.code == base::ErrorCode::Ended ? "has ended" : "does not exist"),
                    "no running process has this pid", "lowtide attach --find");
    case base::ErrorCode::Unsupported:
      return refuse(fmt::format("cannot watch {}: {}", name_of(pid), error.message),
                    "it is a thread of the kernel", "lowtide attach --find");
    default:
      return refuse(
          fmt::format("cannot watch {}: {}", name_of(pid), error.message),
          "it belongs to another user, or /proc hides it (hidepid)",
          ::geteuid() == 0 ? "mount /proc without hidepid" : fmt::format("sudo lowtide attach {}", pid));
  }
}

// Names the process that is watched. The memory of a wrapper means nothing, so that is mentioned.
void print_target(const Watch& watch, pid_t pid) {
  const observe::Member* root = watch.monitor().tree().find(pid);
  if (root == nullptr) return;
  const std::size_t below = watch.monitor().tree().members().size() - 1;
  std::string text = fmt::format("lowtide: watching {}", name_of(pid));
  if (root->info.role == model::ProcessRole::Wrapper) text += ", a wrapper,";
  if (below > 0) text += fmt::format(" and {} descendant{}", below, below == 1 ? "" : "s");
  std::fputs((text + "; Ctrl-C stops watching, not the job\n").c_str(), stderr);
}

// Loads the agent into the first process of a running job. The other processes follow while it is watched.
std::optional<console::UserError> go_deep(std::optional<observe::AgentRegistry>& hub,
                                          std::optional<TreeEntry>& entry, observe::ProcessTree& tree,
                                          pid_t root) {
  const pid_t pid = choose_deep_target(tree, root);
  const auto library = find_agent_library();
  if (!library) {
    return console::UserError{"cannot use --deep: liblowtide_agent.so was not found",
                              "lowtide searches its own folder, ../lib/lowtide and the path in LOWTIDE_AGENT",
                              fmt::format("lowtide attach {}, without --deep", pid)};
  }
  auto opened = observe::AgentRegistry::open();
  if (!opened) {
    return console::UserError{fmt::format("cannot use --deep: {}", opened.error().message),
                              "the agent needs a socket to send its data to",
                              fmt::format("lowtide attach {}, without --deep", pid)};
  }
  hub.emplace(std::move(opened).value());
  hub->note("memory that was allocated before lowtide attached has no line");
  entry.emplace(*library, *hub);
  auto user_error = entry->enter_now(pid);
  // If the tree has other processes, this one is listed in the report as not entered.
  if (user_error && tree.members().size() > 1) {
    console::print_warning(user_error->what + "; lowtide tries the other processes");
    return std::nullopt;
  }
  return user_error;
}

// If memory runs out, the kernel shall kill lowtide before the job. Not under `run`: there lowtide is the
// job's parent, and its end would end the job in a container and under most schedulers.
void die_before_the_job() {
  std::ofstream("/proc/self/oom_score_adj") << "1000";
}

}  // namespace

console::ExitCode attach_job(pid_t pid, const Settings& settings) {
  die_before_the_job();
  keep_small();
  if (settings.screen) {
    if (const auto trouble = LiveScreen::find_trouble()) {
      console::print_error(*trouble);
      return console::ExitCode::Usage;
    }
  }
  Signals signals;
  const double began_s = base::steady_seconds();
  Watch::Options options = options_for(settings, pid);
  // Read before anything is written, so that a wrong pid leaves no file.
  auto tree = observe::ProcessTree::open(options.monitor.tree, 0);
  if (!tree) return cannot_watch(pid, tree.error());
  std::optional<observe::AgentRegistry> hub;
  std::optional<TreeEntry> entry;
  if (settings.deep) {
    if (const auto user_error = go_deep(hub, entry, tree.value(), pid)) {
      console::print_error(*user_error);
      return console::ExitCode::Unreadable;
    }
    options.monitor.agents = &*hub;
  }

  const auto command = procfs::read_arguments({}, pid);
  record::Header header = header_for(command ? command.value() : std::vector<std::string>{}, settings, pid);
  header.attached = true;
  RecordingFile file = open_recording(settings, header);
  auto watch = Watch::begin(options, began_s, std::move(file.writer));
  if (!watch) {
    file.discard();
    return cannot_watch(pid, watch.error());
  }
  if (!settings.quiet && !settings.screen) print_target(watch.value(), pid);
  OutputSteps steps({});
  if (settings.read_steps) {
    for (const observe::Member& member : watch.value().monitor().tree().members()) {
      steps.consider(static_cast<pid_t>(member.info.pid), false);
    }
  }
  std::optional<LiveScreen> screen;
  if (settings.screen) {
    open_screen(screen, {.job = header.command, .pid = pid, .recording = file.path});
  }
  WatchLoop loop(watch.value(), steps, signals,
                 {.root_pid = pid,
                  .duration_s = settings.duration_s,
                  .show_status = settings.show_status,
                  .read_steps = settings.read_steps,
                  .screen = screen ? &*screen : nullptr,
                  .entry = entry ? &*entry : nullptr});
  const WatchLoop::End end = loop.run();
  if (settings.trim_trial && end != WatchLoop::End::JobEnded) watch.value().try_trim(kTrimPatienceS);
  if (entry) {
    constexpr double kWalkPatienceS = 2;
    hub->end_walks(kWalkPatienceS);
    for (const std::string& trouble : entry->end()) console::print_warning(trouble);
    watch.value().note_not_entered(entry->not_entered(), entry->not_listed());
  }
  if (end == WatchLoop::End::JobEnded) watch.value().add_event(model::EventKind::Exit, "the job ended");
  watch.value().end();
  const console::ExitCode verdict = print_final_report(watch.value(), file, settings);
  return settings.gate ? verdict : console::ExitCode::NoLeak;
}

}  // namespace lowtide::watch
