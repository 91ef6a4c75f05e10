// Shared memory that outlives its mappings: files in /dev/shm, System V segments, memfds. Where no process
// maps it, no process has it in its memory, and it is still taken from the machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <span>

#include "procfs/roots.h"

namespace lowtide::observe {

class SharedObjects {
 public:
  explicit SharedObjects(procfs::Roots roots) : roots_(std::move(roots)) {}

  // The bytes of what the processes made, mapped or not:
  // - files in /dev/shm that were not there at the first call and belong to the user of one of the processes
  // - System V segments that one of them created
  // - memfds that one of them has open
  // Expensive readings are repeated rarely: in between the last sum is returned.
  std::uint64_t read(std::span<const std::int64_t> pids, double at_s);

 private:
  std::uint64_t read_files(std::span<const std::int64_t> pids);
  [[nodiscard]] std::uint64_t read_segments() const;
  [[nodiscard]] std::uint64_t read_memfds(std::span<const std::int64_t> pids) const;

  procfs::Roots roots_;
  bool has_begun_ = false;
  std::set<ino_t> foreign_;          // files that were there before
  std::set<std::int64_t> creators_;  // of all processes until now: a segment outlives its creator
  std::uint64_t bytes_ = 0;
  double next_s_ = 0;
};

}  // namespace lowtide::observe
