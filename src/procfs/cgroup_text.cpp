// The text of the memory controller's files, version 1 and 2.
#include <algorithm>

#include "procfs/cgroup.h"
#include "procfs/scan.h"

namespace lowtide::procfs {
namespace {

// v1 says "none" with the largest number of pages: 2^63 - 1, rounded down to
// the page size, which is 4, 16 or 64 KiB.
constexpr std::uint64_t kNoLimitV1 = (1ULL << 63U) - (1ULL << 20U);

struct StatFields {
  std::optional<std::uint64_t> anon, file, shmem, inactive_file, kernel;
  std::uint64_t kernel_parts = 0;
  bool has_kernel_parts = false;
};

void take_v2_line(std::string_view key, std::uint64_t bytes, StatFields& fields) {
  if (key == "anon") {
    fields.anon = bytes;
  } else if (key == "file") {
    fields.file = bytes;
  } else if (key == "shmem") {
    fields.shmem = bytes;
  } else if (key == "inactive_file") {
    fields.inactive_file = bytes;
  } else if (key == "kernel") {
    fields.kernel = bytes;
  } else if (key == "kernel_stack" || key == "pagetables" || key == "slab" || key == "percpu" ||
             key == "sock") {
    // "kernel" came with Linux 5.18; before it, these are the most of it.
    fields.has_kernel_parts = true;
    fields.kernel_parts += std::min(bytes, kNoLimitV1 - std::min(fields.kernel_parts, kNoLimitV1));
  }
}

// total_ lines count the cgroups below too; they come last, and win.
void take_v1_line(std::string_view key, std::uint64_t bytes, StatFields& fields) {
  if (key.starts_with("total_")) {
    key.remove_prefix(6);
  }
  if (key == "rss") {
    fields.anon = bytes;
  } else if (key == "cache") {
    fields.file = bytes;
  } else if (key == "shmem") {
    fields.shmem = bytes;
  } else if (key == "inactive_file") {
    fields.inactive_file = bytes;
  }
}

}  // namespace

base::Result<std::optional<std::uint64_t>> parse_cgroup_limit(std::string_view text) {
  text = trim_end(text);
  if (text == "max") {
    return std::optional<std::uint64_t>();
  }
  std::uint64_t bytes = 0;
  if (!take_number(text, bytes) || !text.empty()) {
    return base::Error{base::ErrorCode::Malformed, "limit of a cgroup is neither a number nor max"};
  }
  return bytes >= kNoLimitV1 ? std::optional<std::uint64_t>() : std::optional(bytes);
}

base::Result<CgroupStat> parse_cgroup_stat(std::string_view text, int version) {
  StatFields fields;
  CgroupStat stat;
  while (!text.empty()) {
    auto pair = split_key(take_line(text), ' ');
    std::uint64_t bytes = 0;
    if (!pair || !take_number(pair->value, bytes)) {
      continue;
    }
    if (version == 2) {
      take_v2_line(pair->key, bytes, fields);
    } else if (pair->key == "hierarchical_memory_limit") {
      stat.hierarchical_limit_bytes = bytes >= kNoLimitV1 ? std::nullopt : std::optional(bytes);
    } else {
      take_v1_line(pair->key, bytes, fields);
    }
  }
  if (!fields.anon || !fields.file) {
    return base::Error{base::ErrorCode::Malformed, "memory.stat has no anonymous memory or page cache"};
  }
  stat.anon_bytes = *fields.anon;
  stat.file_bytes = *fields.file;
  stat.shmem_bytes = fields.shmem.value_or(0);
  stat.inactive_file_bytes = fields.inactive_file.value_or(0);
  stat.kernel_bytes = fields.kernel;
  if (!stat.kernel_bytes && fields.has_kernel_parts) {
    stat.kernel_bytes = fields.kernel_parts;
  }
  return stat;
}

CgroupEvents parse_cgroup_events(std::string_view text) {
  CgroupEvents events;
  while (!text.empty()) {
    auto pair = split_key(take_line(text), ' ');
    std::uint64_t count = 0;
    if (!pair || !take_number(pair->value, count)) {
      continue;
    }
    if (pair->key == "oom") {
      events.oom = count;
    } else if (pair->key == "oom_kill") {
      events.oom_kill = count;
    }
  }
  return events;
}

}  // namespace lowtide::procfs
