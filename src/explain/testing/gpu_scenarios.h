// Recordings of jobs that use a GPU, with a known truth.
#pragma once

#include <span>

#include "explain/testing/scenarios.h"

namespace lowtide::explain {

std::span<const Scenario> gpu_scenarios();

}  // namespace lowtide::explain
