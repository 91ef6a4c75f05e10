#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"

namespace lowtide::symbols {

struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::string_view name;  // mangled; lives in the file it came from
};

// The functions of one or more ELF files that describe the same code (the
// program itself, its debuginfo), found by address.
class SymbolTable {
 public:
  // Takes the functions of .symtab and .dynsym. The file must outlive the table.
  void add(const ElfFile& file);
  // After the last add(), before the first find().
  void finish();

  [[nodiscard]] std::size_t count() const { return symbols_.size(); }
  // The function that holds `address`. Of several names at one place it takes
  // the one that a person would: global before local, fewest underscores.
  [[nodiscard]] std::optional<Symbol> find(std::uint64_t address) const;

 private:
  struct Entry {
    Symbol symbol;
    std::uint8_t rank = 0;  // lower is better
  };

  void add_section(const ElfFile& file, Elf_Scn* section);

  std::vector<Entry> symbols_;
};

}  // namespace lowtide::symbols
