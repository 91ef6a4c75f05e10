#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fd.h"
#include "procfs/roots.h"

namespace lowtide::procfs {

// All pids of the machine (of our pid namespace), sorted. The folder stays
// open and the buffers are kept: no allocation once warm.
class PidList {
 public:
  explicit PidList(Roots roots);

  // False when /proc could not be listed: the list is then empty.
  bool refresh();
  [[nodiscard]] std::span<const std::int32_t> pids() const { return pids_; }

 private:
  void take_entries(std::size_t length);

  Roots roots_;
  base::Fd folder_;
  std::vector<std::int32_t> pids_;
  std::vector<std::byte> buffer_;
};

// The pid after which the kernel starts again; where that is unknown, the highest there can be.
std::int64_t read_highest_pid(const Roots& roots);

}  // namespace lowtide::procfs
