// What the job has on every GPU, and which part of it grows.
#pragma once

#include <vector>

#include "explain/evidence/evidence.h"
#include "model/watched.h"

namespace lowtide::explain {

std::vector<model::GpuReport> judge_gpus(const Evidence& evidence);

}  // namespace lowtide::explain
