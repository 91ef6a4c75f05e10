// Whether the child that walks waits for a lock that nobody will give back.
//
// It is a copy of the job with one thread. What another thread had locked at that moment stays locked in the
// copy: a mutex of an autograd function, once in 1,200 snapshots of a training. Nothing in the job can tell;
// from here it is seen, since a child that walks never sleeps.
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
