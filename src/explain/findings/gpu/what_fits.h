// What would have made a CUDA allocation fit that failed.
#pragma once

#include <string>
#include <vector>

#include "explain/evidence/evidence.h"
#include "explain/findings/gpu/gpu_failure.h"

namespace lowtide::explain {

// Only what the numbers show. Each list may be empty.
struct WhatFits {
  std::vector<std::string> evidence;  // "`cache` holds 21.5 GB; 1.53 GB were missing"
  std::vector<std::string> advice;    // "release `cache` (21.5 GB)"
};

WhatFits find_what_fits(const Evidence& evidence, const model::Event& event, const GpuFailure& failure);

}  // namespace lowtide::explain
