// Why free memory of torch's CUDA allocator is not used, and which setting would help.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/gpu_blocks.h"

namespace lowtide::explain {

struct Fragmentation {
  std::uint64_t free_bytes = 0;       // beside blocks in use
  std::vector<std::string> evidence;  // of the pool with most of it
  std::vector<std::string> advice;    // only what the numbers support
};

// `can_return`: whether memory without any block in use counts too. torch returns it before an allocation
// fails.
Fragmentation explain_fragmentation(const std::vector<model::GpuPool>& pools, bool can_return = false);

}  // namespace lowtide::explain
