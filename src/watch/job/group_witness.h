// Detects signals that were sent to the whole process group, and thus to the job too.
//
// The kernel does not report whether a signal was sent to one process or to the group. So lowtide starts a
// small helper process in the same group. If the helper receives the signal too, the job has received it and
// lowtide must not forward it. Many trainers stop without a checkpoint at the second signal.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

#include "base/fd.h"

namespace lowtide::watch {

class GroupWitness {
 public:
  // Call this before any thread starts, with the signals blocked. Returns nothing if no process can be
  // created; then every signal is forwarded.
  static std::optional<GroupWitness> start();

  GroupWitness(GroupWitness&& other) noexcept;
  GroupWitness& operator=(GroupWitness&&) = delete;
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;
  ~GroupWitness() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }

  // Call this after lowtide has received the signal. Waits up to 50 ms for the helper.
  bool has_got(int signal);

  // Ends the helper process.
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
