// The CUDA allocation that failed, beside the GPU that it failed on.
#pragma once

#include "model/report.h"

namespace lowtide::explain {

// Adds it to the GPU of the finding about it, from that finding and its event.
void add_gpu_oom(model::Report& report);

}  // namespace lowtide::explain
