// How sure: the chance that a verdict is right, and where an open one leans.
#pragma once

#include <optional>

#include "judge/assessment.h"
#include "model/verdict.h"

namespace lowtide::judge {

// Calibrated: of the verdicts with a confidence of 95% or more, at least 95% are right (tests/verdict).
double confidence(const Assessment& assessment);

// The most likely kind of an inconclusive series; absent when the series gives no hint.
std::optional<model::Lean> lean(const Assessment& assessment);

}  // namespace lowtide::judge
