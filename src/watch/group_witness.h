// Whether a signal was sent to our whole process group, and so to the job as well.
//
// The kernel does not say. So a small process of ours is in the group too: if it gets the signal as we do,
// the job has got it and must not get it again. Many trainers stop without a checkpoint at the second one.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

#include "base/fd.h"

namespace lowtide::watch {

class GroupWitness {
 public:
  // To be called before any thread is started, and with the signals blocked that are asked for. Nothing where
  // no process can be made: then every signal counts as one to us alone.
  static std::optional<GroupWitness> start();

  GroupWitness(GroupWitness&& other) noexcept;
  GroupWitness& operator=(GroupWitness&&) = delete;
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;
  ~GroupWitness() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }

  // Asked when we have got it ourselves. Waits a moment for the answer.
  bool has_got(int signal);

  // Ends the process.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  struct Report {
    int signal = 0;
    Clock::time_point at;
  };

  GroupWitness(pid_t pid, base::Fd reports) : pid_(pid), reports_(std::move(reports)) {}
  [[noreturn]] static void bear_witness(pid_t parent, int reports);
  bool take_report(Clock::duration patience);

  pid_t pid_;
  base::Fd reports_;
  std::vector<Report> seen_;
};

}  // namespace lowtide::watch
