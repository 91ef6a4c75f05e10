// /proc/PID/maps as data: which file lies at which address.
//
// The kernel's text has traps: names hold blanks, newlines are written \012 (and
// a backslash is not escaped), " (deleted)" may be the kernel's mark or the end
// of a name, and what is mapped need not be a file at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lowtide::symbols {

enum class MappingKind : std::uint8_t {
  File,
  Memfd,      // code that was written into memory and mapped: JIT compilers
  Vdso,       // the kernel's own library
  Anonymous,  // no name, or one that names no file: [heap], [stack], [anon:...]
};

struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;  // one past the last byte
  std::uint64_t file_offset_bytes = 0;
  std::uint64_t inode = 0;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  MappingKind kind = MappingKind::Anonymous;
  bool readable = false;
  bool executable = false;
  bool deleted = false;  // the name no longer leads to this file
  std::string path;      // as the target sees it, without " (deleted)"; bytes from outside

  friend bool operator==(const Mapping&, const Mapping&) = default;
};

// Ordered by address. Lines that make no sense are left out; text without a
// single mapping is Malformed (a kernel thread, a zombie, or no maps at all).
base::Result<std::vector<Mapping>> parse_maps(std::string_view text);

// The mapping that holds `address`, or nullptr. `mappings` as parse_maps gives them.
const Mapping* find_mapping(const std::vector<Mapping>& mappings, std::uint64_t address);

// The text of PROC/PID/maps.
base::Result<std::string> read_maps_text(const std::string& proc, std::int32_t pid);

}  // namespace lowtide::symbols
