// Numbers for Python functions, so that their names are written once, and lines for
// places in them.

#pragma once

#include <cstdint>

namespace lowtide::agent {

// The number under which the ring knows this code object; told now if it was not yet.
// 0: could not be written.
std::uint32_t number_of_code(const void* code);

// The line of an instruction; 0: not known.
std::uint32_t line_of(const void* code, std::uint32_t number, std::int64_t byte_offset);

}  // namespace lowtide::agent
