#include "agent/heap/seccomp.h"

#include <fcntl.h>

#include <atomic>
#include <cstddef>

#include "agent/heap/channel.h"
#include "agent/heap/system_call.h"
#include "agent/heap/text.h"

namespace lowtide::agent {
namespace {

constinit std::uint64_t g_expected = 0;
constinit std::atomic<bool> g_behind_filter{false};

// Reads a file line by line and truncates long lines.
class Lines {
 public:
  explicit Lines(long fd) : fd_(fd) {}

  bool next(char* line, std::size_t bytes) {
    std::size_t length = 0;
    for (;;) {
      if (at_ == filled_) {
        const long got = system_call(SYS_read, fd_, as_word(buffer_), sizeof(buffer_));
        if (got <= 0) {
          return false;
        }
        filled_ = static_cast<std::size_t>(got);
        at_ = 0;
      }
      const char letter = buffer_[at_++];
      if (letter == '\n') {
        line[length] = 0;
        return true;
      }
      if (length + 1 < bytes) {
        line[length++] = letter;
      }
    }
  }

 private:
  long fd_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  char buffer_[256];
};

// Kernels before 5.9 report only whether there is a filter; that counts as one. Returns 0 if the file cannot
// be read.
std::uint64_t count_filters() {
  const long fd = system_call(SYS_openat, AT_FDCWD, as_word("/proc/self/status"), O_RDONLY | O_CLOEXEC);
  if (failed(fd)) {
    return 0;
  }
  std::uint64_t count = 0;
  char line[40];
  for (Lines lines(fd); lines.next(line, sizeof(line));) {
    if (const char* mode = after(line, "Seccomp:\t")) {
      count = to_number(mode) != 0 ? 1 : 0;
    } else if (const char* filters = after(line, "Seccomp_filters:\t")) {
      count = to_number(filters);
      break;
    }
  }
  system_call(SYS_close, fd);
  return count;
}

}  // namespace

void expect_filters(std::uint64_t inherited) {
  g_expected = inherited == kUnknownFilters ? count_filters() : inherited;
}

bool has_new_filters() {
  return count_filters() > g_expected;
}

void leave_before_filter() {
  if (g_power.load(std::memory_order_relaxed) == Power::On) {
    switch_off(wire::OffReason::Seccomp);
  }
  g_power.store(Power::Off, std::memory_order_release);
  g_behind_filter.store(true, std::memory_order_release);
}

bool is_behind_filter() {
  return g_behind_filter.load(std::memory_order_relaxed);
}

}  // namespace lowtide::agent
