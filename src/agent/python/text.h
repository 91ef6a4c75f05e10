// Python's text objects, read by hand: asking Python for the UTF-8 of a text may allocate.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lowtide::agent {

// The bytes of UTF-8 written, at most `room`; a text that does not fit is cut between
// two letters. 0: not a text that we can read.
std::uint32_t copy_python_text(const void* object, char* into, std::uint32_t room);

// What the object takes, letters and all.
std::uint64_t python_text_bytes(const void* object);

}  // namespace lowtide::agent
