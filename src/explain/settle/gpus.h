// What the job has on every GPU, and which part of it grows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/watched.h"

namespace lowtide::explain {

std::vector<model::GpuReport> judge_gpus(const Evidence& evidence);

// "torch reserves ever more of GPU 0 while its tensors do not grow"; absent where that is not so.
std::optional<std::string> fragmentation_words(const model::GpuReport& gpu);

}  // namespace lowtide::explain
