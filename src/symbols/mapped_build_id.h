// The build-id of what a process has mapped, out of its memory: the one thing
// that shows whether the file of that name is still the one that runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "symbols/elf_file.h"
#include "symbols/target_files.h"

namespace lowtide::symbols {

struct NoteRange {
  std::uint64_t offset_bytes = 0;  // from where the file's first byte is mapped
  std::uint64_t size_bytes = 0;
};

// Where the notes of an ELF file lie, from its first bytes as they are in memory.
std::vector<NoteRange> parse_note_ranges(std::span<const std::byte> head);
// The build-id among the notes of one range.
std::optional<BuildId> parse_build_id(std::span<const std::byte> notes);

// `start`: where the file's first byte is mapped. Nothing if the memory may not
// be read or holds no build-id. Two or three reads of one page.
std::optional<BuildId> read_mapped_build_id(const TargetFiles& files, std::uint64_t start);

}  // namespace lowtide::symbols
