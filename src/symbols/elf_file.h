// One ELF file, opened so that no content of it can hurt us.
//
// Files of a target are bytes from outside: cut short, mangled, or replaced while we read. The file is mapped
// so that what is cut off it becomes zeros (symbols/mapped_file.h): libtorch_cuda has gigabytes, of which we
// need some pages. libelf checks the bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "symbols/mapped_file.h"
#include "symbols/registers.h"

struct Elf;
struct Elf_Scn;

namespace lowtide::symbols {

// What the linker wrote to distinguish builds; empty where there is none.
using BuildId = std::vector<std::uint8_t>;
inline constexpr std::size_t kMostBuildIdBytes = 64;
std::string to_hex(const BuildId& build_id);

// A part of the file that is loaded into memory.
struct Segment {
  std::uint64_t address = 0;  // as the file has it, before it is moved
  std::uint64_t file_offset_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t align_bytes = 1;  // of its mapping: a page at most
  bool executable = false;
};

class ElfFile {
 public:
  // Regular files only. Malformed: no ELF; Unsupported: not 64-bit little-endian.
  static base::Result<ElfFile> open(base::Fd fd);
  static base::Result<ElfFile> open(std::vector<std::byte> bytes);

  [[nodiscard]] Elf* handle() const { return elf_.get(); }
  // Empty: an architecture that we cannot unwind.
  [[nodiscard]] std::optional<Arch> arch() const { return arch_; }
  [[nodiscard]] const BuildId& build_id() const { return build_id_; }

  // The address in the file's own view of a byte of the file. Of code, where two segments lie in one page of
  // the file (lld does that): it is mapped once for each, and ours is that of the code.
  [[nodiscard]] std::optional<std::uint64_t> address_of(std::uint64_t file_offset_bytes) const;

  // Fills `into` with what is loaded at `address`, or says false.
  bool read(std::uint64_t address, std::span<std::byte> into) const;

  // Fills `into` with bytes of the file, or says false. They are not mapped by that.
  bool read_file(std::uint64_t offset_bytes, std::span<std::byte> into) const;

  // What was read is no longer resident in this process.
  void give_back() const;

  [[nodiscard]] Elf_Scn* find_section(std::string_view name) const;
  // The section's bytes; empty where there are none. Valid as long as the file.
  [[nodiscard]] std::span<const std::byte> section_bytes(Elf_Scn* section) const;
  // How much memory the .debug_ sections take once they are read.
  [[nodiscard]] std::uint64_t debug_bytes() const;

 private:
  struct Close {
    void operator()(Elf* elf) const;
  };

  base::Result<bool> look();

  // In this order: libelf reads from both until it is closed.
  base::Fd fd_;
  std::unique_ptr<std::vector<std::byte>> bytes_;
  std::optional<MappedFile> mapped_;
  std::unique_ptr<Elf, Close> elf_;
  std::optional<Arch> arch_;
  BuildId build_id_;
  std::vector<Segment> segments_;
};

}  // namespace lowtide::symbols
