// Bytes that this program holds through operator new, counted by replacing it.
#pragma once

#include <cstddef>

namespace lowtide::bench {

[[nodiscard]] std::size_t heap_live_bytes();

// The most that was live since the last reset.
[[nodiscard]] std::size_t heap_peak_bytes();
void reset_heap_peak();

}  // namespace lowtide::bench
