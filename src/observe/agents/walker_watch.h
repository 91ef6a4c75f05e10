// Whether the child that walks the heap waits for a lock that is never released.
//
// The child is a copy of the job with one thread. A lock that another thread held at the fork stays locked in
// the copy: a mutex of an autograd function, once in 1,200 snapshots of a training job. The job cannot detect
// this. The monitor can, because a child that walks never sleeps.
#pragma once

#include <cstdint>
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
  [[nodiscard]] bool has_ended() const;

 private:
  std::int32_t pid_;
  procfs::Roots roots_;
  std::uint64_t ticks_ = ~std::uint64_t{0};  // of a processor, ever
  double asleep_since_s_ = -1;
};

}  // namespace lowtide::observe
