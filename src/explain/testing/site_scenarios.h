// Recordings of jobs with an agent in them, with a known truth.
#pragma once

#include <span>

#include "explain/testing/scenarios.h"

namespace lowtide::explain {

std::span<const Scenario> site_scenarios();

// Those that grow and do not leak.
std::span<const Scenario> site_lookalikes();

}  // namespace lowtide::explain
