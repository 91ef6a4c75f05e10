// A sample becomes a record of the ring and a slot of the live table.

#pragma once

#include <cstdint>

#include "wire/layout.h"

namespace lowtide::agent {

// What a sample is about, and where it was taken.
struct Subject {
  std::uintptr_t address;
  std::uint64_t bytes;
  std::uint64_t weight_bytes;
  wire::Source source;
  std::uint16_t device;
  std::uint64_t registers[wire::kRegisters];
};

// False: the ring was full. To be called inside a HookScope, while the tables are in use.
bool write_record(const Subject& subject, std::uint64_t began_ns);

}  // namespace lowtide::agent
