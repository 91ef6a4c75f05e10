#pragma once

#include <memory>

#include "symbols/elf_file.h"
#include "symbols/frame_rule.h"

struct Dwarf;
struct Dwarf_CFI_s;

namespace lowtide::symbols {

// The unwind information of one ELF file (.eh_frame; where that is missing,
// .debug_frame), as rules.
class FrameTable {
 public:
  // Both must outlive it. `dwarf` may be nullptr.
  FrameTable(const ElfFile& file, Dwarf* dwarf);

  // `address` as the file has it. Kind::NoRule where the file does not say.
  FrameRule make_rule(std::uint64_t address);

 private:
  struct End {
    void operator()(Dwarf_CFI_s* table) const;
  };

  FrameRule make_rule_from(Dwarf_CFI_s* table, std::uint64_t address) const;
  [[nodiscard]] bool is_signal_trampoline(std::uint64_t address) const;

  const ElfFile& file_;
  std::unique_ptr<Dwarf_CFI_s, End> eh_frame_;
  Dwarf_CFI_s* debug_frame_ = nullptr;  // belongs to the Dwarf
};

}  // namespace lowtide::symbols
