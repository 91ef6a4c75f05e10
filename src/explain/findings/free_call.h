// How memory of a C allocator, called from Python, is freed.
#pragma once

#include <string>
#include <string_view>

namespace lowtide::explain {

// "libc.free(p)" for the line "p = libc.malloc(n)": code of names that the line has. Empty where free() is
// not what releases it, or the line is written otherwise.
std::string free_call(std::string_view callee, std::string_view source);

}  // namespace lowtide::explain
