// The line that allocated what grows on a GPU.
#pragma once

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

// Adds it to the findings about growth on a GPU, from the stacks of torch's allocator. After they are joined.
void add_allocating_lines(const std::vector<model::GpuReport>& gpus, Findings& findings);

}  // namespace lowtide::explain
