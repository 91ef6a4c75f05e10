// The tree's memory with shared pages counted once, from readings of two prices.
//
// smaps_rollup is right (PSS) and expensive; status has RSS split by
// kind at every tick, and counts a page that N processes share N times. So a
// sweep reads PSS of all, and between sweeps each process goes on from its
// last PSS by how its RSS moved. What goes wrong if one simply adds RSS, or
// PSS of different moments: docs/design/watch.md.
#pragma once

#include <cstdint>
#include <optional>

#include "model/tick.h"

namespace lowtide::observe {

// What /proc/PID/status contains at every tick.
struct CheapCounters {
  std::uint64_t anon_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t swap_bytes = 0;
};

// What one process adds to the target.
struct Contribution {
  std::uint64_t anon_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t swap_bytes = 0;
  std::uint64_t own_bytes = 0;  // what nobody else holds: goes when the process goes

  // What cannot be taken back without the job's doing.
  [[nodiscard]] std::uint64_t held_bytes() const { return anon_bytes + shmem_bytes + swap_bytes; }
};

class SharedAccount {
 public:
  SharedAccount() = default;

  // A process seen for the first time. Pages of one that was forked are its
  // parent's until they are written to: it adds only what comes on top.
  SharedAccount(const CheapCounters& first, bool is_forked);

  // PSS was read, right after `counters`.
  void settle(const CheapCounters& counters, const model::PssReading& pss, std::uint64_t swap_pss_bytes);

  [[nodiscard]] Contribution contribution(const CheapCounters& now) const;

  // By how much the counters of one kind of memory moved since it was begun or settled, all kinds added up.
  [[nodiscard]] std::uint64_t moved_bytes(const CheapCounters& now) const;

 private:
  CheapCounters base_;
  Contribution at_base_;
};

}  // namespace lowtide::observe
