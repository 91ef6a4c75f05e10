// The loop from the first tick to the last, for `run` and `attach`.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "watch/entry/missing_agents.h"
#include "watch/entry/tree_entry.h"
#include "watch/job/group_witness.h"
#include "watch/job/output_relay.h"
#include "watch/job/output_steps.h"
#include "watch/job/signals.h"
#include "watch/live_screen.h"
#include "watch/status_line.h"
#include "watch/watch.h"

namespace lowtide::watch {

class WatchLoop {
 public:
  struct Options {
    pid_t root_pid = 0;
    bool is_child = false;  // lowtide started it: signals are forwarded, its status is returned
    std::optional<double> duration_s = {};  // stop watching after this
    bool show_status = true;
    bool read_steps = true;
    OutputRelay* relay = nullptr;  // forwards the job's output, if wanted
    LiveScreen* screen = nullptr;  // closed at the end of run()
    GroupWitness* witness = nullptr;
    TreeEntry* entry = nullptr;  // puts the agent into processes that start later
  };

  enum class End { JobEnded, Detached, TimeIsUp };

  WatchLoop(Watch& watch, OutputSteps& steps, Signals& signals, const Options& options);

  End run();

  // Continues for a moment after the job's first process has ended, while others still run.
  void linger(double seconds);

  // Forwards signals until the child has ended, and returns its status. Does not watch.
  int wait_for_job();

  // The status of the job's first process, if it has ended and is a child of lowtide.
  [[nodiscard]] std::optional<int> exit_status() const { return exit_status_; }
  // The terminal sent an interrupt to lowtide and to the job.
  [[nodiscard]] bool was_interrupted() const { return interrupted_; }

 private:
  void wait(double seconds);
  void wait_for_any(double seconds);
  void take_signals();
  void take_keys(const pollfd& keys);
  void request_snapshot();
  [[nodiscard]] bool has_screen() const { return options_.screen != nullptr && options_.screen->is_open(); }
  [[nodiscard]] bool job_takes(int signal) const;
  void pass_on(const Signals::Signal& signal);
  void reap();
  void tick();

  Watch& watch_;
  OutputSteps& steps_;
  Signals& signals_;
  Options options_;
  StatusLine status_line_;
  MissingAgents missing_agents_;
  std::optional<int> exit_status_;
  bool detach_ = false;
  bool interrupted_ = false;
  bool is_hurried_ = false;
  double next_tick_s_ = 0;
};

}  // namespace lowtide::watch
