// What the monitor learns of the CUDA driver besides its allocations: wire::DriverPart.

#pragma once

#include <cstdint>

#include "wire/layout.h"

namespace lowtide::agent {

enum class DriverCount { Allocations, Failures, Modules, Unsized, Imported };

// `by` is 1 or -1. Makes the memory file where there is none yet.
void count_driver(DriverCount what, std::int64_t by = 1);

// Writes what is known before the first call.
void publish_driver(wire::DriverPart& part);

// Somebody asked the driver for a function that we do not know. It is reported if its name is that of one
// that allocates or frees.
void report_unfollowed(const char* name);

}  // namespace lowtide::agent
