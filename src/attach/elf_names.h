// What an ELF file exports, by name; and where its code ends.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"

namespace lowtide::attach {

struct ExportedFunction {
  std::uint64_t address = 0;  // as the file has it
  std::uint64_t bytes = 0;
  std::string_view name;  // lives as long as the file
};

// The functions of .dynsym that the file defines, by address.
std::vector<ExportedFunction> read_exports(const symbols::ElfFile& file);

std::optional<std::uint64_t> find_export(const std::vector<ExportedFunction>& exports, std::string_view name);

// One past the last byte of the loaded segment that holds `address`, as the file has it.
std::optional<std::uint64_t> find_segment_end(const symbols::ElfFile& file, std::uint64_t address);

}  // namespace lowtide::attach
