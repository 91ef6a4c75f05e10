// `lowtide run`: start a job and watch it.

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <optional>

#include "cli/commands/all.h"
#include "cli/syntax/refuse.h"
#include "console/user_error.h"
#include "watch/flags.h"
#include "watch/run_job.h"

namespace lowtide::cli {
namespace {

// On Ctrl-C a shell ends its loop only if the command dies of SIGINT too. For the shell, a status of 130
// means that the command has handled the interrupt.
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
        "with --screen the job's output goes to a file, and lowtide reads the steps from that file",
        "lowtide run --screen -- python train.py"};
  }
  if (settings.trim_trial && (!settings.duration_s || !settings.use_agent)) {
    return console::UserError{
        fmt::format("--trim-trial {}",
                    settings.use_agent ? "needs --duration" : "and --no-agent exclude each other"),
        settings.use_agent ? "the trial runs when lowtide stops watching, and the job must still run then"
                           : "the agent in the job calls malloc_trim",
        "lowtide run --duration 10min --trim-trial -- python train.py"};
  }
  return std::nullopt;
}

console::ExitCode run_run(const watch::Settings& settings, const Words& words) {
  if (const auto conflict = find_conflict(settings)) return refuse(*conflict);
  if (words.command.empty()) {
    return refuse({"run needs a command", "no command was given", "lowtide run -- python train.py"});
  }
  const watch::WatchedJob job = watch::run_job(words.command, settings);
  if (job.was_interrupted) die_of_interrupt();
  return settings.gate && job.status == 0 ? job.verdict : static_cast<console::ExitCode>(job.status);
}

}  // namespace

Command run_command() {
  console::Flags<watch::Settings> flags = watch::watch_flags();
  flags.push_back(console::turns_off(
      "no-agent", "do not load the agent into the job: no allocation lines, no variables, no snapshots",
      &watch::Settings::use_agent));
  flags.push_back(watch::screen_flag());
  flags.push_back(watch::trim_trial_flag());
  flags.push_back(console::turns_on("steps-from-output",
                                    "also read steps from output that goes to a pipe or a terminal; the "
                                    "output then passes through lowtide, "
                                    "and if lowtide is killed, the job can no longer write",
                                    &watch::Settings::steps_from_output));
  return with_flags<watch::Settings>(
      {"run",
       "Start a job and watch its memory",
       "Put it in front of any launch command. It needs no options, no root and no change to the job. The "
       "job "
       "keeps its standard streams, terminal, signals and exit status. When the job ends, lowtide prints a "
       "report on standard error: whether memory leaks, where, and when it would have reached the limit. "
       "`lowtide report` prints it again from the recording.\n"
       "If the job's output goes to a file, lowtide reads the training steps from it. Otherwise it counts "
       "the "
       "steps of PyTorch's optimizers. Without steps, rates are per second.\n"
       "With --screen, lowtide uses the whole terminal. The output that the job would write there goes to a "
       "file, lowtide-TIME-PID.out, and the job gets no keyboard input.\n"
       "If the command cannot be started, the exit status is 127 (not found) or 126 (not executable).",
       {},
       {
           {"lowtide run -- python train.py", "watch a training job"},
           {"lowtide run -- python train.py > train.log 2>&1", "also read the steps from the log"},
           {"lowtide run --limit 32G -- torchrun --nproc-per-node 8 train.py",
            "forecast when it reaches 32 GiB"},
           {"lowtide run --screen -- python train.py",
            "show it live on the whole terminal; q closes the screen"},
           {"lowtide run --gate -- python smoke_test.py", "use it in CI: exit with 1 on a leak"},
       },
       JobWords::FromFirst},
      flags, run_run);
}

}  // namespace lowtide::cli
