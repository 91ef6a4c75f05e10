// /proc/PID/statm: the cheapest reading there is (2 to 3 us).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace lowtide::procfs {

struct Statm {
  std::uint64_t size_bytes = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t shared_bytes = 0;    // resident pages of files and shared memory
  std::uint64_t writable_bytes = 0;  // private memory that may be written, resident or not; with stacks

  // A kernel thread or a zombie has no memory of its own: the kernel prints zeros.
  [[nodiscard]] bool has_memory() const { return size_bytes != 0; }
};

base::Result<Statm> parse_statm(std::string_view text, std::uint64_t page_bytes);

}  // namespace lowtide::procfs
