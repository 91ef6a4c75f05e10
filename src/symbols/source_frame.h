#pragma once

#include <cstdint>
#include <string>

namespace lowtide::symbols {

// One function at one address. Where calls were inlined there are several for
// one address. All text comes from the target: base::printable before it is shown.
struct SourceFrame {
  std::string function;  // demangled; empty when unknown
  std::string file;      // empty without debuginfo
  std::uint32_t line = 0;
  std::string module;               // path of the file with the code; empty for code from nowhere
  std::uint64_t module_offset = 0;  // as addr2line takes it; without a module the address
  bool is_inlined = false;          // its code lies inside the frame that follows

  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

// "validate() at trainer.cpp:631", "malloc in libc.so.6", "libfoo.so+0x1234",
// "0x7f0012345678". Safe to print.
std::string to_text(const SourceFrame& frame);

}  // namespace lowtide::symbols
