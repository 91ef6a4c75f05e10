// /proc/PID/status: identity, and the resident memory split by kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace lowtide::procfs {

inline constexpr std::size_t kMaxPidNamespaces = 8;

struct Status {
  std::int64_t pid = 0;
  std::int64_t ppid = 0;
  std::uint32_t uid = 0;  // real user
  char state = '?';       // R, S, D, T, t, Z, X, I ...

  // The pid in every pid namespace it is a member of, from that of our /proc
  // inwards. Empty before Linux 4.1. The first ns_depth are set.
  std::array<std::int64_t, kMaxPidNamespaces> ns_pids{};
  std::size_t ns_depth = 0;

  std::uint64_t hwm_bytes = 0;  // the most that was ever resident
  std::uint64_t rss_bytes = 0;
  std::uint64_t anon_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  std::uint64_t swap_bytes = 0;
  std::uint64_t writable_bytes = 0;  // private memory that may be written, resident or not; with the stack
  std::uint32_t threads = 0;

  bool has_memory = false;  // false for kernel threads and zombies
  bool has_split = false;   // RssAnon, RssFile, RssShmem are there (Linux 4.5)

  [[nodiscard]] std::span<const std::int64_t> namespace_pids() const { return {ns_pids.data(), ns_depth}; }
};

// One pass, no allocation unless it fails.
base::Result<Status> parse_status(std::string_view text);

}  // namespace lowtide::procfs
