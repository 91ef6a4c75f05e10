// Whether the child that walks the heap waits for a lock that is never released.
//
// The child is a copy of the job with one thread. A lock that another thread held at the fork stays locked in
// the copy: a mutex of an autograd function, once in 1,200 snapshots of a training job. The job cannot detect
// this. The monitor can, because a child that walks never sleeps.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "procfs/process_files.h"

namespace lowtide::observe {

class WalkerWatch {
 public:
  explicit WalkerWatch(std::int32_t pid, procfs::Roots roots = {}) : pid_(pid), roots_(std::move(roots)) {}

  // To be asked from time to time.
  bool is_stuck(double now_s);

  // Ends it; nothing happens to any other process.
  void end() const;

  // True when it has ended, and may be reaped or is.
  [[nodiscard]] bool has_ended();

  // The CPU time that it had used when it was last asked for; all of it if it was there until its end.
  [[nodiscard]] double cpu_s() const;

 private:
  // Empty: it is gone.
  std::optional<procfs::Stat> read();

  std::int32_t pid_;
  procfs::Roots roots_;
  std::uint64_t ticks_ = 0;         // of a CPU, as last read
  std::uint64_t asleep_ticks_ = 0;  // since when it has slept
  double asleep_since_s_ = -1;
};

}  // namespace lowtide::observe
