// Who asked the CUDA driver for memory that grows.
#pragma once

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

// Adds library and line to findings about memory of a GPU that no framework has.
void add_driver_lines(const Scene& scene, Findings& findings);

// Pinned host memory that others than torch keep: torch counts its own.
void find_pinned_memory(const Scene& scene, Findings& out);

}  // namespace lowtide::explain
