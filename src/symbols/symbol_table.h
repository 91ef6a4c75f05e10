#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbols/elf_file.h"

namespace lowtide::symbols {

struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::string name;  // mangled
};

// The functions of one or more ELF files that describe the same code (the
// program itself, its debuginfo), found by address.
//
// Kept are 8 bytes for each function: where it begins, and which symbol it is. Symbol and name are read
// from the file when they are asked for: libtorch has 90 MB of them, of which a job needs some hundred.
class SymbolTable {
 public:
  // Takes the functions of .symtab, or without one of .dynsym. The file must outlive the table.
  void add(const ElfFile& file);
  // After the last add(), before the first find().
  void finish();

  [[nodiscard]] std::size_t count() const { return keys_.size(); }
  [[nodiscard]] std::size_t bytes() const { return keys_.capacity() * sizeof(keys_.front()); }
  // The function that holds `address`. Of several names at one place it takes
  // the one that a person would: global before local, fewest underscores.
  [[nodiscard]] std::optional<Symbol> find(std::uint64_t address) const;

 private:
  // A section of symbols, and that of their names.
  struct Source {
    const ElfFile* file = nullptr;
    std::uint64_t offset_bytes = 0;
    std::uint64_t count = 0;
    std::uint64_t names_offset_bytes = 0;
    std::uint64_t names_bytes = 0;
  };
  struct Candidate;

  template <typename Visit>
  static void each_symbol(const Source& source, Visit visit);
  void add_section(const Source& source, const std::vector<bool>& is_code_section);
  [[nodiscard]] std::optional<Candidate> read(std::uint64_t key) const;
  [[nodiscard]] std::string read_name(const Source& source, std::uint32_t at) const;
  [[nodiscard]] Symbol choose(std::vector<Candidate>& candidates) const;

  std::vector<Source> sources_;
  std::vector<std::uint64_t> keys_;  // sorted: address, source, number of the symbol
};

}  // namespace lowtide::symbols
