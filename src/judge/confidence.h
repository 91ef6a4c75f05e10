// How sure: the chance that a verdict is right, and where an open one leans.
#pragma once

#include <optional>

#include "judge/assessment.h"
#include "model/verdict.h"

namespace lowtide::judge {

// Calibrated: of verdicts given at 95 % or more, at least 95 % are right (tests/verdict).
double confidence(const Assessment& assessment);

// What an inconclusive series looks like so far; absent when it says nothing at all.
std::optional<model::Lean> lean(const Assessment& assessment);

}  // namespace lowtide::judge
