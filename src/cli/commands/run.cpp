// `lowtide run`: start a job and watch it.

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <optional>

#include "cli/commands/all.h"
#include "cli/refuse.h"
#include "console/user_error.h"
#include "watch/flags.h"
#include "watch/run_job.h"

namespace lowtide::cli {
namespace {

// A shell ends its loop on Ctrl-C only when what it runs dies of SIGINT as well; a
// status of 130 tells it that the interrupt was dealt with.
void die_of_interrupt() {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  std::fflush(nullptr);
  std::signal(SIGINT, SIG_DFL);
  ::raise(SIGINT);
  ::sigprocmask(SIG_UNBLOCK, &interrupt, nullptr);
}

std::optional<console::UserError> find_conflict(const watch::Settings& settings) {
  if (settings.screen && settings.steps_from_output) {
    return console::UserError{
        "--screen and --steps-from-output exclude each other",
        "with the screen the job's output goes into a file, and its steps are read from there",
        "lowtide run --screen -- python train.py"};
  }
  if (settings.trim_trial && (!settings.duration_s || !settings.use_agent)) {
    return console::UserError{
        fmt::format("--trim-trial {}",
                    settings.use_agent ? "needs --duration" : "and --no-agent exclude each other"),
        settings.use_agent ? "it is made at the end of the watching, and there must be a job left then"
                           : "the agent in the job is who calls malloc_trim",
        "lowtide run --duration 10min --trim-trial -- python train.py"};
  }
  return std::nullopt;
}

console::ExitCode run_run(const watch::Settings& settings, const Words& words) {
  if (const auto conflict = find_conflict(settings)) return refuse(*conflict);
  if (words.command.empty()) {
    return refuse({"run needs a command", "none was given", "lowtide run -- python train.py"});
  }
  const watch::WatchedJob job = watch::run_job(words.command, settings);
  if (job.was_interrupted) die_of_interrupt();
  return settings.gate && job.status == 0 ? job.verdict : static_cast<console::ExitCode>(job.status);
}

}  // namespace

Command run_command() {
  console::Flags<watch::Settings> flags = watch::watch_flags();
  flags.push_back(console::turns_off("no-agent", "nothing of ours in the job: no lines that allocate",
                                     &watch::Settings::use_agent));
  flags.push_back(watch::screen_flag());
  flags.push_back(watch::trim_trial_flag());
  flags.push_back(console::turns_on(
      "steps-from-output",
      "read steps from output that goes to a pipe or a terminal, by passing it through; a job whose "
      "lowtide is killed can then no longer write",
      &watch::Settings::steps_from_output));
  return with_flags<watch::Settings>(
      {"run",
       "Start a job and watch its memory",
       "Put it in front of any launch command: no flag, no root and no change to the job is needed. The job "
       "keeps its standard streams, its terminal, its signals and its exit status. At the end lowtide tells "
       "on "
       "standard error whether the memory growth is a leak, in which process, and when it would have met the "
       "limit; the recording can be read again with lowtide report.\n"
       "Training steps are read from the job's output where that goes to a file; else the axis is time.\n"
       "With --screen the terminal shows the watching: what the job would have written there goes into a "
       "file, lowtide-TIME-PID.out, which the screen and the last words name, and it gets no keys.",
       {},
       {
           {"lowtide run -- python train.py", "watch a training job"},
           {"lowtide run -- python train.py > train.log 2>&1", "and read its steps from the log"},
           {"lowtide run --limit 32G -- torchrun --nproc-per-node 8 train.py", "when does it reach 32 GiB?"},
           {"lowtide run --screen -- python train.py", "see it live on the whole terminal; q closes that"},
           {"lowtide run --gate -- python smoke_test.py", "for CI: exit 1 when it leaks"},
       },
       JobWords::FromFirst},
      flags, run_run);
}

}  // namespace lowtide::cli
