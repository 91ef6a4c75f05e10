#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "procfs/roots.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {

// /proc/meminfo, the memory of the whole machine.
struct Meminfo {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;  // an estimate from free + cached before Linux 3.14
  std::uint64_t free_bytes = 0;
  std::uint64_t cached_bytes = 0;  // page cache, shared memory included
  std::uint64_t shmem_bytes = 0;
  std::uint64_t swap_total_bytes = 0;
  std::uint64_t swap_free_bytes = 0;
};

base::Result<Meminfo> parse_meminfo(std::string_view text);
base::Result<Meminfo> read_meminfo(const Roots& roots);
base::Result<Meminfo> read_meminfo(KeptText& file);
KeptText meminfo_file(const Roots& roots);

}  // namespace lowtide::procfs
