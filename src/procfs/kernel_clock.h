// The kernel counts CPU time and start times in ticks since boot.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "procfs/roots.h"

namespace lowtide::procfs {

// Never 0.
std::uint64_t page_bytes();
std::uint64_t ticks_per_second();

// The "btime" line of /proc/stat: seconds of the Unix epoch.
base::Result<std::uint64_t> parse_boot_time(std::string_view text);

struct KernelClock {
  double boot_unix_s = 0.0;
  double ticks_per_s = 100.0;

  // When a process began, in seconds of the Unix epoch and since boot.
  [[nodiscard]] double to_unix_s(std::uint64_t start_ticks) const {
    return boot_unix_s + to_seconds(start_ticks);
  }
  [[nodiscard]] double to_seconds(std::uint64_t ticks) const {
    return static_cast<double>(ticks) / ticks_per_s;
  }
};

// Boot time from /proc/stat; where that cannot be read, from CLOCK_BOOTTIME.
KernelClock read_kernel_clock(const Roots& roots);

// Seconds since boot now, suspend included: comparable with start_ticks.
double read_boot_seconds();

}  // namespace lowtide::procfs
