// A heap profile of JAX: bytes of another process.

#include <cstdint>
#include <span>

#include "base/check.h"
#include "observe/agents/heap_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t before = ~std::uint64_t{0};
  for (const auto& line : lowtide::observe::read_heap_profile(std::as_bytes(std::span(data, size)))) {
    LOWTIDE_CHECK(line.bytes <= before && line.buffers > 0, "most first, and none without a buffer");
    before = line.bytes;
  }
  return 0;
}
