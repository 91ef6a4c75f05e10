// Shared memory that outlives its mappings: files in /dev/shm, System V segments, memfds. Where no process
// maps it, no process has it in its memory, and it is still taken from the machine.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "observe/tree/shared_files.h"
#include "procfs/roots.h"

namespace lowtide::observe {

class SharedObjects {
 public:
  explicit SharedObjects(const procfs::Roots& roots) : roots_(roots), files_(roots) {}

  // The bytes of what the processes made, mapped or not:
  // - files in /dev/shm that were not there at the first call (shared_files.h)
  // - System V segments that one of them created
  // - memfds that one of them has open
  // Expensive readings are repeated rarely: in between the last sum is returned.
  std::uint64_t read(std::span<const std::int64_t> pids, double at_s);

  // What most of it is: "430 files like /dev/shm/batch#.npy (219 MB)"; empty where there is nothing.
  [[nodiscard]] const std::string& largest_words() const { return largest_words_; }

 private:
  [[nodiscard]] std::string describe_largest() const;
  std::uint64_t read_segments();
  std::uint64_t read_memfds(std::span<const std::int64_t> pids);

  procfs::Roots roots_;
  SharedFiles files_;
  bool has_begun_ = false;
  std::set<std::int64_t> creators_;  // of all processes until now: a segment outlives its creator
  SharedGroup segments_;
  SharedGroup memfds_;  // those with the most frequent shape of name
  std::string largest_words_;
  std::uint64_t bytes_ = 0;
  double next_s_ = 0;
};

}  // namespace lowtide::observe
