// Finds symbols of loaded objects by their own hash tables.
//
// dlsym would do the same, but it may allocate, and its version in a current glibc
// would keep the agent from loading into older ones. This only reads.

#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace lowtide::agent {

// The address of a function or variable that the object defines and exports; null if it does not.
void* find_symbol(const dl_phdr_info& object, const char* name);

// True when the address lies in one of the object's segments.
bool is_within(const dl_phdr_info& object, const void* address);

}  // namespace lowtide::agent
