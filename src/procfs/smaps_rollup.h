// /proc/PID/smaps_rollup: what a process weighs when shared pages are split
// between those that share them. Dear: the kernel walks every page table entry
// (3 ms per GiB of 4K pages) and holds the target's mmap_lock meanwhile.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace lowtide::procfs {

struct SmapsRollup {
  std::uint64_t rss_bytes = 0;
  std::uint64_t pss_bytes = 0;
  std::uint64_t pss_anon_bytes = 0;
  std::uint64_t pss_file_bytes = 0;
  std::uint64_t pss_shmem_bytes = 0;
  std::uint64_t private_clean_bytes = 0;
  std::uint64_t private_dirty_bytes = 0;
  std::uint64_t shared_clean_bytes = 0;
  std::uint64_t shared_dirty_bytes = 0;
  std::uint64_t anonymous_bytes = 0;
  std::uint64_t swap_bytes = 0;
  std::uint64_t swap_pss_bytes = 0;
  bool has_pss_split = false;  // Pss_Anon, Pss_File, Pss_Shmem are there (Linux 5.1)

  [[nodiscard]] std::uint64_t uss_bytes() const { return private_clean_bytes + private_dirty_bytes; }
};

base::Result<SmapsRollup> parse_smaps_rollup(std::string_view text);

}  // namespace lowtide::procfs
