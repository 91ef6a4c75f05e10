// The CUDA allocation that failed, beside the GPU that it failed on.
#pragma once

#include "explain/source/source_files.h"
#include "model/report.h"

namespace lowtide::explain {

// Adds it to the GPU, from its event and from the finding about it, if the job did not go on.
void add_gpu_oom(SourceFiles& sources, model::Report& report);

}  // namespace lowtide::explain
