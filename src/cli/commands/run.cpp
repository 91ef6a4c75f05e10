// `lowtide run`: start a job and watch it.

#include <csignal>
#include <cstdio>
#include <variant>

#include "cli/commands/all.h"
#include "cli/refuse.h"
#include "cli/watch_flags.h"
#include "console/user_error.h"
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

console::ExitCode run_run(const Arguments& arguments) {
  const auto flags = parse_watch_flags(arguments, "run");
  if (const auto* user_error = std::get_if<console::UserError>(&flags)) return refuse(*user_error);
  if (arguments.command().empty()) {
    return refuse({"run needs a command", "none was given", "lowtide run -- python train.py"});
  }
  const watch::WatchedJob job = watch::run_job(arguments.command(), std::get<watch::Settings>(flags));
  if (job.was_interrupted) die_of_interrupt();
  const bool gate = std::get<watch::Settings>(flags).gate && job.status == 0;
  return gate ? job.verdict : static_cast<console::ExitCode>(job.status);
}

}  // namespace

Command run_command() {
  std::vector<Flag> flags = watch_flags();
  flags.push_back({"no-agent", "", "nothing of ours in the job: no lines that allocate"});
  flags.push_back(screen_flag());
  flags.push_back(trim_trial_flag());
  flags.push_back(
      {"steps-from-output", "",
       "read steps from output that goes to a pipe or a terminal, by passing it through; a job whose "
       "lowtide is killed can then no longer write"});
  return {
      "run",
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
      flags,
      {
          {"lowtide run -- python train.py", "watch a training job"},
          {"lowtide run -- python train.py > train.log 2>&1", "and read its steps from the log"},
          {"lowtide run --limit 32G -- torchrun --nproc-per-node 8 train.py", "when does it reach 32 GiB?"},
          {"lowtide run --screen -- python train.py", "see it live on the whole terminal; q closes that"},
          {"lowtide run --gate -- python smoke_test.py", "for CI: exit 1 when it leaks"},
      },
      run_run,
      JobWords::FromFirst,
  };
}

}  // namespace lowtide::cli
