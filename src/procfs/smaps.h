// /proc/PID/smaps, mapping by mapping: dearer than smaps_rollup, only to explain.
//
// A torch job has 5,000 mappings and 2 MB of smaps, so the text is parsed as it
// is read, in pieces, and only sums are kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "procfs/roots.h"

namespace lowtide::procfs {

enum class MappingKind {
  Heap,          // [heap], what brk gave
  Stack,         // [stack]; the stacks of other threads are anonymous
  Anonymous,     // mmap without a file: malloc arenas, large blocks, thread stacks
  File,          // a library, a mapped data file
  SharedMemory,  // /dev/shm, memfd, SysV, shared anonymous
  Deleted,       // a file that is no longer in any folder
  Kernel,        // [vdso], [vvar] and the like
};
inline constexpr std::size_t kMappingKinds = 7;

std::string_view to_word(MappingKind kind);

// "/dev/shm/x (deleted)" is shared memory, whether deleted or not.
MappingKind classify_mapping(std::string_view name);

struct MappingBytes {
  std::uint64_t mappings = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t rss_bytes = 0;
  std::uint64_t pss_bytes = 0;
  std::uint64_t private_dirty_bytes = 0;
  std::uint64_t swap_bytes = 0;
};

// All mappings of one name, added up. Anonymous ones have the name "".
struct NamedMapping {
  std::string name;
  MappingKind kind = MappingKind::Anonymous;
  MappingBytes bytes;
};

struct Smaps {
  MappingBytes total;
  std::array<MappingBytes, kMappingKinds> by_kind{};
  std::vector<NamedMapping> top;  // most pss first
  bool names_cut = false;         // more names than are distinguished: the rest is in the sums only

  [[nodiscard]] const MappingBytes& of(MappingKind kind) const {
    return by_kind[static_cast<std::size_t>(kind)];
  }
};

// Takes the text in pieces of any size.
class SmapsParser {
 public:
  void feed(std::string_view piece);

  // The sums of all that was fed; Malformed when no mapping was in it.
  base::Result<Smaps> finish(std::size_t top_names);

 private:
  void take_line(std::string_view line);
  void close_mapping();

  std::string carry_;  // a line whose end is in the next piece
  std::string name_;
  bool line_too_long_ = false;
  bool in_mapping_ = false;
  MappingBytes current_;
  Smaps sums_;
  std::unordered_map<std::string, NamedMapping> names_;
};

// Gone, Denied, or the sums. Holds the target's mmap_lock piece by piece.
base::Result<Smaps> read_smaps(const Roots& roots, std::int32_t pid, std::size_t top_names = 20);

}  // namespace lowtide::procfs
