#include "procfs/kernel_clock.h"

#include <unistd.h>
#include <ctime>

namespace lowtide::procfs {
namespace {

std::uint64_t read_sysconf(int name, std::uint64_t otherwise) {
  const long value = ::sysconf(name);
  return value > 0 ? static_cast<std::uint64_t>(value) : otherwise;
}

}  // namespace

std::uint64_t page_bytes() {
  static const std::uint64_t kBytes = read_sysconf(_SC_PAGESIZE, 4096);
  return kBytes;
}

std::uint64_t ticks_per_second() {
  static const std::uint64_t kTicks = read_sysconf(_SC_CLK_TCK, 100);
  return kTicks;
}

double to_seconds(std::uint64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(ticks_per_second());
}

double read_boot_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace lowtide::procfs
