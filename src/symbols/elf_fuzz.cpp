// An ELF file of arbitrary bytes: opened, its names, lines and rules asked for.
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "symbols/elf_image.h"
#include "symbols/mapped_build_id.h"

// elfutils 0.188 forgets what it allocated where a file turns out to be broken.
// NOLINTNEXTLINE(readability-identifier-naming): the sanitizer wants it by that name
extern "C" const char* __lsan_default_suppressions();
// NOLINTNEXTLINE(readability-identifier-naming): as above
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libdw\nleak:libelf\n";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace symbols = lowtide::symbols;
  std::vector<std::byte> bytes(size);
  if (size > 0) {
    std::memcpy(bytes.data(), data, size);
  }
  (void)symbols::parse_note_ranges(bytes);
  (void)symbols::parse_build_id(bytes);
  auto file = symbols::ElfFile::open(std::move(bytes));
  if (!file) {
    return 0;
  }
  // A pid that cannot be: no separate debuginfo is looked for in a target.
  symbols::ElfImage image(std::move(file).value(), "fuzz", symbols::TargetFiles{.pid = -1});
  for (const std::uint64_t address : {0x0U, 0x1000U, 0x1100U, 0x1139U}) {
    LOWTIDE_CHECK(!image.find_frames(address).empty(), "every address has a frame");
    (void)image.make_rule(address);
  }
  return 0;
}
