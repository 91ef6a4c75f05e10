#include "watch/watch_loop.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "procfs/rights.h"
#include "procfs/text_file.h"
#include "watch/job/job.h"

namespace lowtide::watch {
namespace {

// Orphans of the job become children of lowtide. One that was forked a moment ago is not yet in the tree.
bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool is_running(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

}  // namespace

WatchLoop::WatchLoop(Watch& watch, OutputSteps& steps, Signals& signals, const Options& options)
    : watch_(watch),
      steps_(steps),
      signals_(signals),
      options_(options),
      status_line_(options_.show_status) {}

WatchLoop::End WatchLoop::run() {
  End end = End::JobEnded;
  while (true) {
    tick();
    // A job that could not be read yet has not ended.
    if (watch_.is_over() && !(options_.is_child && is_running(options_.root_pid))) break;
    if (options_.is_child && exit_status_) break;
    if (detach_) {
      end = End::Detached;
      break;
    }
    if (options_.duration_s && watch_.at_s() >= *options_.duration_s) {
      end = End::TimeIsUp;
      break;
    }
    wait(next_tick_s_ - watch_.at_s());
  }
  // The child has ended but is not yet reaped.
  if (options_.is_child && end == End::JobEnded && !exit_status_) {
    int status = 0;
    if (::waitpid(options_.root_pid, &status, 0) == options_.root_pid) exit_status_ = exit_status_of(status);
    if (exit_status_) watch_.note_exit(options_.root_pid, *exit_status_);
    tick();          // records the exit status
    take_signals();  // the interrupt that ended it may not have been read yet
  }
  status_line_.clear();
  if (has_screen()) options_.screen->close();
  return end;
}

void WatchLoop::tick() {
  const double wait_s = watch_.tick(steps_.refresh());
  next_tick_s_ = watch_.at_s() + wait_s;
  if (options_.entry != nullptr) {
    options_.entry->tick(watch_.monitor().tree(), watch_.at_s());
    watch_.note_not_entered(options_.entry->not_entered(), options_.entry->not_listed());
  } else if (observe::AgentRegistry* const agents = watch_.monitor().agents()) {
    missing_agents_.tick(watch_.monitor().tree(), *agents, watch_.at_s());
    watch_.note_not_entered(missing_agents_.texts(), missing_agents_.not_listed());
  }
  if (has_screen()) {
    options_.screen->take_tick(watch_);
  } else if (watch_.latest() != nullptr) {
    status_line_.show(watch_.at_s(), watch_.judgement(), watch_.answer(), *watch_.latest());
  }
  if (!options_.read_steps) return;
  for (const model::ProcessInfo& process : watch_.monitor().tree().begun()) {
    steps_.consider(static_cast<pid_t>(process.pid), true);
  }
}

void WatchLoop::linger(double seconds) {
  constexpr double kLookEveryS = 0.05;
  constexpr double kLongestWalkS = 12;  // one at the end of a process ends itself before that
  watch_.end_snapshots();
  const double began_s = watch_.at_s();
  const auto goes_on = [this] {
    return !watch_.is_over() || has_children() || watch_.awaits_last_snapshot() ||
           (options_.relay != nullptr && options_.relay->has_last_words());
  };
  const auto may_go_on = [&] {
    const double since_s = watch_.at_s() - began_s;
    return since_s < seconds || (watch_.awaits_last_snapshot() && since_s < kLongestWalkS);
  };
  while (goes_on() && may_go_on() && !is_hurried_) {
    // The job's output may arrive much more often.
    const double look_s = watch_.at_s() + kLookEveryS;
    while (watch_.at_s() < look_s && goes_on() && !is_hurried_) wait_for_any(look_s - watch_.at_s());
    tick();
  }
  status_line_.clear();
}

int WatchLoop::wait_for_job() {
  constexpr double kLongS = 3600;
  while (!exit_status_) wait_for_any(kLongS);
  return *exit_status_;
}

// Waits until the next tick is due or something urgent happens.
void WatchLoop::wait(double seconds) {
  double left_s = seconds;
  while (left_s > 0 && !detach_ && !exit_status_) {
    if (options_.duration_s) left_s = std::min(left_s, *options_.duration_s - watch_.at_s() + 0.001);
    wait_for_any(std::min(left_s, watch_.poll_agents()));
    if (options_.duration_s && watch_.at_s() >= *options_.duration_s) return;
    left_s = next_tick_s_ - watch_.at_s();
  }
}

// Waits for a signal, a key on the screen, output of the job that lowtide forwards, or the timeout.
void WatchLoop::wait_for_any(double seconds) {
  constexpr std::size_t kOwnFiles = 2;
  std::array<pollfd, kOwnFiles + OutputRelay::kMostFiles> files{};
  std::array<pollfd, OutputRelay::kMostFiles> relayed{};
  const std::size_t count = options_.relay == nullptr ? 0 : options_.relay->wanted(relayed);
  files[0] = {.fd = signals_.fd(), .events = POLLIN, .revents = 0};
  files[1] = {.fd = has_screen() ? options_.screen->fd() : -1, .events = POLLIN, .revents = 0};
  std::copy_n(relayed.begin(), count, files.begin() + kOwnFiles);
  const int timeout_ms = std::max(1, static_cast<int>(std::ceil(seconds * 1e3)));
  if (::poll(files.data(), kOwnFiles + count, timeout_ms) <= 0) return;
  if (files[0].revents != 0) take_signals();
  if (files[1].revents != 0) take_keys(files[1]);
  for (std::size_t at = 0; at < count; ++at) options_.relay->pump(files[kOwnFiles + at], steps_);
}

void WatchLoop::take_keys(const pollfd& keys) {
  const bool is_gone = (keys.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
  if (is_gone) options_.screen->close();
  while (has_screen()) {
    const screen::ScreenAction wish = options_.screen->take_keys();
    if (wish == screen::ScreenAction::Quit) {
      options_.screen->leave();
      detach_ = !options_.is_child;
    } else if (wish == screen::ScreenAction::Snapshot) {
      request_snapshot();
    } else {
      return;
    }
  }
}

void WatchLoop::request_snapshot() {
  if (watch_.monitor().agents() == nullptr) {
    options_.screen->show_notice("no snapshot: the job has no agent; use lowtide snapshot PID");
  } else if (!watch_.ask_snapshots()) {
    options_.screen->show_notice("no snapshot: --no-snapshots was given");
  } else if (watch_.monitor().agents()->pythons().empty()) {
    options_.screen->show_notice("no snapshot: the agent is in no Python process yet");
  } else {
    options_.screen->show_notice("taking a snapshot of each Python process, one after the other");
  }
}

void WatchLoop::take_signals() {
  while (const auto signal = signals_.next()) {
    if (signal->number == SIGCHLD) {
      reap();
    } else if (signal->number == SIGWINCH && options_.relay != nullptr) {
      options_.relay->resize();
    } else if (signal->number == SIGWINCH && has_screen()) {
      options_.screen->take_new_size();
    } else if (signal->number == SIGUSR2 && watch_.ask_snapshots() && !job_takes(SIGUSR2)) {
      continue;  // it was meant for lowtide, and would kill the job
    } else if (options_.is_child) {
      pass_on(*signal);
    } else if (signal->number == SIGINT || signal->number == SIGTERM || signal->number == SIGHUP ||
               signal->number == SIGQUIT) {
      detach_ = true;
    }
  }
}

bool WatchLoop::job_takes(int signal) const {
  const auto status = procfs::read_text(fmt::format("/proc/{}/status", options_.root_pid));
  return !status || !procfs::would_die_of(status.value(), signal);
}

// Forwards a signal that a process sent to lowtide only. A terminal sends to the job too, and so does a
// process that signals the whole group.
void WatchLoop::pass_on(const Signals::Signal& signal) {
  if (exit_status_) is_hurried_ = true;  // the job has ended, so the signal means lowtide
  if (signal.number == SIGINT && !signal.sent_to_us) interrupted_ = true;
  if (!signal.sent_to_us || signal.sender == options_.root_pid || exit_status_) return;
  if (options_.witness != nullptr && options_.witness->has_got(signal.number)) return;
  ::kill(options_.root_pid, signal.number);
}

// Reaps the job and its orphans. Not the children of another thread: the stops of a process that it traces
// (tree_entry.h) come by the same call.
void WatchLoop::reap() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG | __WNOTHREAD)) > 0) {
    watch_.note_exit(pid, exit_status_of(status));
    if (pid == options_.root_pid) exit_status_ = exit_status_of(status);
  }
}

}  // namespace lowtide::watch
