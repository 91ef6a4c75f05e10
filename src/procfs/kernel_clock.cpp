#include "procfs/kernel_clock.h"

#include <unistd.h>
#include <ctime>

#include "procfs/scan.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {
namespace {

double read_clock_s(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

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

base::Result<std::uint64_t> parse_boot_time(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    std::uint64_t seconds = 0;
    if (take_word(line) == "btime" && take_number(line, seconds)) {
      return seconds;
    }
  }
  return base::Error{base::ErrorCode::Malformed, "/proc/stat has no btime"};
}

KernelClock read_kernel_clock(const Roots& roots) {
  KernelClock clock{.boot_unix_s = 0.0, .ticks_per_s = static_cast<double>(ticks_per_second())};
  // A machine with many CPUs has a line for each, and then the interrupts.
  const auto text = read_text(roots.proc + "/stat", 4U << 20U);
  const auto boot = text ? parse_boot_time(text.value())
                         : base::Result<std::uint64_t>(base::Error{text.error().code, text.error().message});
  clock.boot_unix_s =
      boot ? static_cast<double>(boot.value()) : read_clock_s(CLOCK_REALTIME) - read_clock_s(CLOCK_BOOTTIME);
  return clock;
}

double read_boot_seconds() {
  return read_clock_s(CLOCK_BOOTTIME);
}

}  // namespace lowtide::procfs
