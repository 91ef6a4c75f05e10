// Recordings of jobs whose processes share pages since a fork, with a known truth.
#pragma once

#include <span>

#include "explain/testing/scenarios.h"

namespace lowtide::explain {

std::span<const Scenario> forked_scenarios();

}  // namespace lowtide::explain
