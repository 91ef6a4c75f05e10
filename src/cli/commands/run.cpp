// `lowtide run`: start a job and watch it.
//
// The job comes first. It is started before anything is set up for watching it,
// nothing stands between it and its streams, and whatever goes wrong with the
// watching costs it nothing.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <variant>

#include "base/text.h"
#include "cli/closing_words.h"
#include "cli/commands/all.h"
#include "cli/complaint.h"
#include "cli/job.h"
#include "cli/output_steps.h"
#include "cli/recording_file.h"
#include "cli/signals.h"
#include "cli/watch_flags.h"
#include "cli/watch_loop.h"
#include "observe/watch.h"

namespace lowtide::cli {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

// After the job's own process: its helpers take a moment to go.
constexpr double kGraceS = 1.0;

ExitCode refuse_command(const std::string& name, const base::Error& error) {
  const bool missing = error.code == base::ErrorCode::Gone;
  complain({fmt::format("cannot start {}: {}", name, error.message),
            missing ? "no such file, and nothing of that name in PATH" : "it is not a program this user may execute",
            missing ? "lowtide run -- python train.py" : fmt::format("chmod +x {}, or name its interpreter", name)});
  return static_cast<ExitCode>(missing ? kNotFound : kNotExecutable);
}

std::string describe_exit(int status) {
  const char* name = status > 128 ? sigabbrev_np(status - 128) : nullptr;
  if (name == nullptr) return fmt::format("the job ended with status {}", status);
  return fmt::format("the job was ended by SIG{}", name);
}

model::EventKind event_of(int status) {
  return status == 128 + SIGKILL ? model::EventKind::Killed : model::EventKind::Exit;
}

observe::Watch::Options options_for(const WatchFlags& flags, pid_t pid) {
  observe::Watch::Options options;
  options.interval_s = flags.interval_s;
  options.monitor.tree.root_pid = pid;
  options.monitor.tree.own_pid = ::getpid();
  options.monitor.tree.adopts_orphans = true;
  options.monitor.limit_bytes = flags.limit_bytes;
  options.monitor.use_gpu = flags.use_gpu;
  options.monitor.use_pss = flags.use_pss;
  return options;
}

// The job cannot be watched: it is still waited for, and its status is ours.
int only_wait(pid_t pid, Signals& signals) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  while (signals.next()) {
  }
  return exit_status_of(status);
}

int watch_job(const WatchFlags& flags, const std::vector<std::string>& command) {
  Signals signals;
  const double began_s = observe::steady_seconds();
  const auto pid = start_job(command);
  if (!pid) return static_cast<int>(refuse_command(command.front(), pid.error()));

  record::Header header = make_header(command);
  header.root_pid = pid.value();
  header.limit_bytes = flags.limit_bytes;
  header.interval_s = flags.interval_s.value_or(0);
  RecordingFile file = make_recording(flags, header);
  for (const std::string& warning : file.warnings) warn(warning);

  auto watch = observe::Watch::begin(options_for(flags, pid.value()), began_s, std::move(file.writer));
  if (!watch) {
    // It was over before we could look.
    const int status = only_wait(pid.value(), signals);
    warn(fmt::format("no samples: the job ended after {:.1f} s", observe::steady_seconds() - began_s));
    file.discard();
    return status;
  }
  OutputSteps steps({});
  if (flags.read_steps) steps.consider(pid.value(), true);
  WatchLoop loop(watch.value(), steps, signals,
                 {.root_pid = pid.value(),
                  .is_child = true,
                  .duration_s = flags.duration_s,
                  .show_status = flags.show_status,
                  .read_steps = flags.read_steps});
  const WatchLoop::End end = loop.run();
  if (end == WatchLoop::End::JobEnded) {
    watch.value().add_event(event_of(*loop.exit_status()), describe_exit(*loop.exit_status()));
    loop.linger(kGraceS);
  }
  watch.value().end();
  const ExitCode verdict = tell_the_end(watch.value(), file, flags);
  // Only the watching was limited in time: the job goes on, and so do we.
  const int status = end == WatchLoop::End::JobEnded ? *loop.exit_status() : loop.wait_for_job();
  return flags.gate && status == 0 ? static_cast<int>(verdict) : status;
}

ExitCode run(const Arguments& arguments) {
  const auto flags = parse_watch_flags(arguments, "run");
  if (const auto* complaint = std::get_if<Complaint>(&flags)) {
    complain(*complaint);
    return ExitCode::Usage;
  }
  if (arguments.command().empty()) {
    complain({"run needs a command", "none was given", "lowtide run -- python train.py"});
    return ExitCode::Usage;
  }
  return static_cast<ExitCode>(watch_job(std::get<WatchFlags>(flags), arguments.command()));
}

}  // namespace

Command run_command() {
  return {
      "run",
      "Start a job and watch its memory",
      "Put it in front of any launch command: no flag, no root and no change to the job is needed. The job "
      "keeps its standard streams, its terminal, its signals and its exit status. At the end lowtide tells on "
      "standard error whether the memory growth is a leak, in which process, and when it would have met the "
      "limit; the recording can be read again with lowtide report.\n"
      "Training steps are read from the job's output where that goes to a file; else the axis is time.",
      {},
      watch_flags(),
      {
          {"lowtide run -- python train.py", "watch a training job"},
          {"lowtide run -- python train.py > train.log 2>&1", "and read its steps from the log"},
          {"lowtide run --limit 32G -- torchrun --nproc-per-node 8 train.py", "when does it reach 32 GiB?"},
          {"lowtide run --gate -- python smoke_test.py", "for CI: exit 1 when it leaks"},
      },
      run,
      JobWords::FromFirst,
  };
}

}  // namespace lowtide::cli
