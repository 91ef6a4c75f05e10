// The kernel counts CPU time and start times in ticks since boot.
#pragma once

#include <cstdint>

namespace lowtide::procfs {

// Never 0.
std::uint64_t page_bytes();
std::uint64_t ticks_per_second();

double to_seconds(std::uint64_t ticks);

// Seconds since boot now, suspend included: comparable with start_ticks.
double read_boot_seconds();

}  // namespace lowtide::procfs
