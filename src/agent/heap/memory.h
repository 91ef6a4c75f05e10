// Memory of our own, by raw system calls.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lowtide::agent {

// New private memory, zeroed; null where there is none.
void* map_private(std::size_t bytes);

// Makes sure that a range of the memory file has its pages, so that writing there can
// not end in SIGBUS; false where it cannot.
bool populate(void* begin, std::size_t bytes);

inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
  __builtin_memcpy(to, from, bytes);
}

}  // namespace lowtide::agent
