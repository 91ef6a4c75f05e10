// The sentences of a verdict: why, and what would settle it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "judge/assessment.h"
#include "judge/missing.h"

namespace lowtide::judge {

// One sentence, lower case, no full stop.
// `floor` and `levels` are those of the verdict, so that all its sentences have the same numbers.
std::string reason(const Assessment& assessment, const model::Floor& floor,
                   const std::optional<model::Levels>& levels);

// The two levels of a stable series that is never at what lies between them.
std::optional<model::Levels> find_levels(const Assessment& assessment);

// What an inconclusive verdict needs if no length can be stated.
inline constexpr std::string_view kLongerRun = "a longer run; how long cannot be estimated yet";

// What an inconclusive verdict needs.
std::string needs(const Assessment& assessment, const Requirement& required);

}  // namespace lowtide::judge
