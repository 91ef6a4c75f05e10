#include "watch/run_job.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "console/exit_code.h"
#include "console/user_error.h"
#include "observe/agents/agent_registry.h"
#include "watch/entry/agent_preload.h"
#include "watch/final_report.h"
#include "watch/job/group_witness.h"
#include "watch/job/job.h"
#include "watch/job/job_output.h"
#include "watch/job/output_relay.h"
#include "watch/job/output_steps.h"
#include "watch/job/signals.h"
#include "watch/job/survivors.h"
#include "watch/live_screen.h"
#include "watch/setup.h"
#include "watch/watch.h"
#include "watch/watch_loop.h"

namespace lowtide::watch {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;
constexpr rlim_t kFilesForNames = 256;

// After the job's first process has ended, its helpers need a moment.
constexpr double kGraceS = 1.0;

int refuse_command(const std::string& name, const base::Error& error) {
  const bool missing = error.code == base::ErrorCode::Gone;
  console::print_error({fmt::format("cannot start {}: {}", name, error.message),
                        missing ? "there is no such file, and no program of this name in PATH"
                                : "it is not a program that this user may execute",
                        missing ? "lowtide run -- python train.py"
                                : fmt::format("chmod +x {}, or start its interpreter", name)});
  return missing ? kNotFound : kNotExecutable;
}

std::string describe_exit(int status) {
  const char* name = status > 128 ? sigabbrev_np(status - 128) : nullptr;
  if (name == nullptr) return fmt::format("the job ended with exit status {}", status);
  return fmt::format("SIG{} ended the job", name);
}

model::EventKind event_of(int status) {
  return status == 128 + SIGKILL ? model::EventKind::Killed : model::EventKind::Exit;
}

// The environment variables that load the agent into the job. Empty if there is no agent: the job runs
// anyway.
std::vector<std::string> prepare_agents(std::optional<observe::AgentRegistry>& agents) {
  const auto library = find_agent_library();
  rlimit files{};
  // The registry keeps the files open whose symbols it reads. With few descriptors, watching has priority.
  const bool enough_files = ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur >= kFilesForNames;
  if (!library || !enough_files) return {};
  auto hub = observe::AgentRegistry::open();
  if (!hub) {
    console::print_warning(
        fmt::format("the report will have no lines and no variables: {}", hub.error().message));
    return {};
  }
  agents.emplace(std::move(hub).value());
  return agent_environment(*library, agents->socket_path());
}

// Redirects the job's output before the job starts.
std::optional<console::UserError> make_way_for_screen(std::optional<JobOutput>& output) {
  if (auto trouble = LiveScreen::find_trouble()) return trouble;
  auto opened = JobOutput::open();
  if (!opened) {
    return console::UserError{fmt::format("cannot store the job's output: {}", opened.error().message),
                              "with --screen it goes to a file, because the terminal shows the screen",
                              "lowtide run --screen -- python train.py > train.log 2>&1"};
  }
  output.emplace(std::move(opened).value());
  return std::nullopt;
}

// The job cannot be watched. Waits for it and returns its status.
WatchedJob wait_only(pid_t pid, Signals& signals) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  bool was_interrupted = false;
  while (const auto signal = signals.next()) {
    was_interrupted = was_interrupted || (signal->number == SIGINT && !signal->sent_to_us);
  }
  const int code = exit_status_of(status);
  return {.status = code, .was_interrupted = was_interrupted && code == 128 + SIGINT};
}

// The output of lowtide comes after that of the job. A process that the job left behind may write for ever,
// so the wait is limited.
void await_last_output(pid_t relaying) {
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds && ::waitpid(relaying, nullptr, WNOHANG) == 0; ++round) {
    ::usleep(10'000);
  }
}

// What was prepared before the job started; null: not wanted.
struct Surroundings {
  OutputSteps& steps;
  OutputRelay* relay = nullptr;
  observe::AgentRegistry* agents = nullptr;
  JobOutput* output = nullptr;
  GroupWitness* witness = nullptr;
};

void print_no_samples(double began_s) {
  console::print_warning(
      fmt::format("no samples: the job ended after {:.1f} s", base::steady_seconds() - began_s));
}

void print_output(JobOutput* output, const Settings& flags, int status) {
  if (output != nullptr && (flags.show_report || status != 0)) output->print_end(status != 0);
}

WatchedJob watch_job(pid_t pid, const std::vector<std::string>& command, const Settings& flags,
                     double began_s, Signals& signals, const Surroundings& around) {
  const record::Header header = header_for(command, flags, pid);
  RecordingFile file = open_recording(flags, header);
  Watch::Options options = options_for(flags, pid);
  options.monitor.tree.adopts_orphans = true;
  options.monitor.agents = around.agents;
  options.monitor.began_unix_s = base::unix_seconds() - (base::steady_seconds() - began_s);
  options.source_folder = header.working_directory;
  if (around.witness != nullptr) options.monitor.tree.helper_pid = around.witness->pid();
  auto watch = Watch::begin(options, began_s, std::move(file.writer));
  if (!watch) {
    // The job ended before the first reading.
    const pid_t relaying = around.relay != nullptr ? around.relay->carry_on_in_background() : 0;
    WatchedJob job = wait_only(pid, signals);
    if (relaying != 0) await_last_output(relaying);
    print_no_samples(began_s);
    file.discard();
    return job;
  }
  if (flags.read_steps) around.steps.consider(pid, true);
  std::optional<LiveScreen> screen;
  if (flags.screen) {
    open_screen(screen, {.job = header.command,
                         .pid = pid,
                         .recording = file.path,
                         .is_child = true,
                         .output = around.output});
  }
  WatchLoop loop(watch.value(), around.steps, signals,
                 {.root_pid = pid,
                  .is_child = true,
                  .duration_s = flags.duration_s,
                  .show_status = flags.show_status,
                  .read_steps = flags.read_steps,
                  .relay = around.relay,
                  .screen = screen ? &*screen : nullptr,
                  .witness = around.witness});
  const WatchLoop::End end = loop.run();
  if (end == WatchLoop::End::JobEnded) {
    if (around.witness != nullptr) around.witness->end();
    watch.value().add_event(event_of(*loop.exit_status()), describe_exit(*loop.exit_status()));
    loop.linger(kGraceS);
    if (!watch.value().is_over()) follow_survivors(watch.value(), file, flags);
    if (flags.trim_trial) console::print_warning("no trim trial: the job ended before --duration was over");
  } else if (flags.trim_trial) {
    watch.value().try_trim(kTrimPatienceS);
  }
  watch.value().end();
  if (around.output != nullptr && watch.value().is_over()) around.output->remove_if_empty();
  if (!watch.value().has_seen()) {
    print_no_samples(began_s);
    file.discard();
    const int status = loop.wait_for_job();  // returns at once if it has ended
    return {.status = status, .was_interrupted = status == 128 + SIGINT && loop.was_interrupted()};
  }
  if (end == WatchLoop::End::JobEnded) print_output(around.output, flags, *loop.exit_status());
  const console::ExitCode verdict = print_final_report(watch.value(), file, flags);
  // --duration limits only the watching: wait for the job.
  const int status = end == WatchLoop::End::JobEnded ? *loop.exit_status() : loop.wait_for_job();
  return {.status = status,
          .verdict = verdict,
          .recording = file.path,
          .was_interrupted = status == 128 + SIGINT && loop.was_interrupted()};
}

}  // namespace

WatchedJob run_job(const std::vector<std::string>& command, const Settings& flags) {
  keep_small();
  std::optional<JobOutput> output;
  if (flags.screen) {
    if (const auto user_error = make_way_for_screen(output)) {
      console::print_error(*user_error);
      return {.status = static_cast<int>(console::ExitCode::Usage)};
    }
  }
  Signals signals;
  const double began_s = base::steady_seconds();
  std::optional<OutputRelay> relay;
  if (flags.steps_from_output) relay.emplace();
  std::optional<observe::AgentRegistry> agents;
  std::vector<std::string> settings;
  if (flags.use_agent) settings = prepare_agents(agents);
  const JobStreams streams = relay ? relay->job_streams() : output ? output->job_streams() : JobStreams{};
  OutputSteps steps({});
  steps.note_beginnings(streams);
  const auto pid = start_job(command, streams, settings);
  if (!pid) {
    if (output) output->remove_if_empty();
    return {.status = refuse_command(command.front(), pid.error())};
  }
  if (relay) relay->close_job_ends();
  std::optional<GroupWitness> witness = GroupWitness::start();
  WatchedJob job = watch_job(pid.value(), command, flags, began_s, signals,
                             {.steps = steps,
                              .relay = relay ? &*relay : nullptr,
                              .agents = agents ? &*agents : nullptr,
                              .output = output ? &*output : nullptr,
                              .witness = witness ? &*witness : nullptr});
  if (relay) relay->carry_on_in_background();
  print_output(output ? &*output : nullptr, flags, job.status);
  return job;
}

}  // namespace lowtide::watch
