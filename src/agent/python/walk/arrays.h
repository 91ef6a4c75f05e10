// numpy arrays and PIL images: what they own, and what they refer to without saying so.
#pragma once

#include <cstdint>

#include "agent/python/walk/object_types.h"

namespace lowtide::agent {

// Bytes of the data; 0 for a view, whose data is another's.
std::uint64_t array_own_bytes(const void* array);

// The array whose data a view shows, and the elements of an array of objects: numpy shows the
// collector of neither.
void visit_array(const void* array, Visit visit, void* context);

std::uint64_t image_bytes(const void* image);

}  // namespace lowtide::agent
