// What an agent would send: the registers of this thread and a copy of its stack.
#pragma once

#include <cstddef>
#include <vector>

#include "symbols/registers.h"

namespace lowtide::symbols {

struct Capture {
  Registers registers;
  std::vector<std::byte> stack;
};

// The pc of the capture lies in this function.
[[gnu::noinline]] void capture_here(Capture& into, std::size_t most_bytes);

}  // namespace lowtide::symbols
