#include "procfs/meminfo.h"

#include <array>
#include <string>
#include <utility>

#include "procfs/scan.h"

namespace lowtide::procfs {
namespace {

struct MeminfoField {
  std::string_view key;
  std::uint64_t Meminfo::*bytes;
};

constexpr std::array<MeminfoField, 7> kMeminfoFields{{
    {"MemTotal", &Meminfo::total_bytes},
    {"MemAvailable", &Meminfo::available_bytes},
    {"MemFree", &Meminfo::free_bytes},
    {"Cached", &Meminfo::cached_bytes},
    {"Shmem", &Meminfo::shmem_bytes},
    {"SwapTotal", &Meminfo::swap_total_bytes},
    {"SwapFree", &Meminfo::swap_free_bytes},
}};

}  // namespace

base::Result<Meminfo> parse_meminfo(std::string_view text) {
  Meminfo meminfo;
  bool has_available = false;
  while (!text.empty()) {
    const auto pair = split_key(take_line(text));
    if (!pair) {
      continue;
    }
    for (const MeminfoField& field : kMeminfoFields) {
      if (pair->key == field.key && !take_kilobytes(pair->value, meminfo.*field.bytes)) {
        return base::Error{base::ErrorCode::Malformed, "meminfo has no number at " + std::string(pair->key)};
      }
    }
    has_available = has_available || pair->key == "MemAvailable";
  }
  if (meminfo.total_bytes == 0) {
    return base::Error{base::ErrorCode::Malformed, "meminfo has no MemTotal"};
  }
  if (!has_available) {
    const std::uint64_t droppable =
        meminfo.cached_bytes > meminfo.shmem_bytes ? meminfo.cached_bytes - meminfo.shmem_bytes : 0;
    const bool fits =
        droppable <= meminfo.total_bytes && meminfo.free_bytes <= meminfo.total_bytes - droppable;
    meminfo.available_bytes = fits ? meminfo.free_bytes + droppable : meminfo.total_bytes;
  }
  return meminfo;
}

KeptText meminfo_file(const Roots& roots) {
  return KeptText(roots.proc + "/meminfo");
}

base::Result<Meminfo> read_meminfo(KeptText& file) {
  TextBuffer buffer;
  auto text = file.read(buffer);
  return text ? parse_meminfo(text.value()) : std::move(text).error();
}

base::Result<Meminfo> read_meminfo(const Roots& roots) {
  KeptText file = meminfo_file(roots);
  return read_meminfo(file);
}

}  // namespace lowtide::procfs
