// When does the growth reach a limit?
#pragma once

#include <cstdint>
#include <optional>

#include "judge/assessment.h"
#include "model/verdict.h"

namespace lowtide::judge {

// Growth of the floor per step or second, with a 95% interval; absent where
// there are too few samples. For a warm-up: the growth while it rose.
std::optional<model::Rate> growth_rate(const Assessment& assessment);

// Absent when the floor does not rise. What counts against the limit is the
// floor with the usual spike on top: that is what is killed.
std::optional<model::Forecast> forecast(const Assessment& assessment, model::LimitKind limit,
                                        std::uint64_t limit_bytes);

}  // namespace lowtide::judge
