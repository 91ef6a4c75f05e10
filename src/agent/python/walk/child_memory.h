// Memory of the child that walks: maps of its own, counted and limited.
//
// Another thread may have held a lock of the allocator at the fork, and will never let go of
// it in the child. So nothing here asks the allocator, and Python is made to ask us too.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lowtide::agent {

inline constexpr std::size_t kPointerBytes = sizeof(void*);

// Before anything else in the child. False where there is no room for it.
bool begin_child_memory(std::uint64_t limit_bytes);

// Zeroed; null beyond the limit. Never given back one by one.
void* take_memory(std::size_t bytes);

// Address space for an array that grows: only what is touched is memory. As many elements as
// are available, `most` at most; `count` is their number.
void* reserve_memory(std::size_t element_bytes, std::size_t most, std::size_t& count);

// An array has grown into reserved space; false beyond the limit.
bool count_memory(std::size_t bytes);
void uncount_memory(std::size_t bytes);

// A mapping of its own, zeroed and not counted; null if there is none. table.h has what uses these two.
void* map_memory(std::size_t bytes);
void unmap_memory(void* begin, std::size_t bytes);

// The most that was counted at any time.
std::uint64_t most_taken_bytes();

// True for an object that did not exist in the process: it was made to answer us.
bool is_made_here(const void* object);

// All three domains of the Python in this process allocate from here from now on.
void serve_python();

}  // namespace lowtide::agent
