#pragma once

#include <optional>
#include <string>

#include "symbols/elf_file.h"
#include "symbols/target_files.h"

namespace lowtide::symbols {

// The file with the debuginfo of another one: by its build-id under
// /usr/lib/debug/.build-id, else by its .gnu_debuglink; in the target's file
// system first, then in ours. Only one of the same build is taken: the build-id
// must be the same, or, without one, the checksum of the link.
std::optional<ElfFile> find_debug_file(const ElfFile& file, const std::string& path,
                                       const TargetFiles& files);

// .gnu_debugdata: the symbol table that Fedora and RHEL leave in stripped files,
// compressed by xz. At most 64 MiB.
std::optional<ElfFile> find_mini_debuginfo(const ElfFile& file);

}  // namespace lowtide::symbols
