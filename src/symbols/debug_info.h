#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/source_frame.h"

struct Dwarf;

namespace lowtide::symbols {

// The DWARF of one ELF file: lines and inlined calls.
//
// .debug_aranges would tell which unit holds an address, but clang writes none,
// so the ranges of all units are collected once.
class DebugInfo {
 public:
  // nullptr: the file has no debuginfo, it is broken, or it is
  // larger than 32 MiB. The file must outlive it.
  static std::unique_ptr<DebugInfo> make(const ElfFile& file);
  ~DebugInfo();
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;
  DebugInfo(DebugInfo&&) = delete;
  DebugInfo& operator=(DebugInfo&&) = delete;

  [[nodiscard]] Dwarf* handle() const { return dwarf_.get(); }

  // Of memory, about: libdw does not say what it keeps of a unit that was asked.
  [[nodiscard]] std::size_t bytes() const;

  // From the inside out; empty where the debuginfo does not say. The module is
  // left to the caller.
  [[nodiscard]] std::vector<SourceFrame> find_frames(std::uint64_t address) const;

 private:
  struct End {
    void operator()(Dwarf* dwarf) const;
  };
  struct Unit;
  struct Range {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::size_t unit = 0;
  };

  DebugInfo(Dwarf* dwarf, std::uint64_t file_bytes);
  void collect_units();
  [[nodiscard]] const Unit* find_unit(std::uint64_t address) const;

  std::unique_ptr<Dwarf, End> dwarf_;
  std::vector<Unit> units_;
  std::vector<Range> ranges_;
  std::uint64_t file_bytes_ = 0;  // of its sections, unpacked
  mutable std::size_t asked_ = 0;
};

}  // namespace lowtide::symbols
