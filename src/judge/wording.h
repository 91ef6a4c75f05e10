// The sentences of a verdict: why, and what would settle it.
#pragma once

#include <optional>
#include <string>

#include "judge/assessment.h"

namespace lowtide::judge {

// One sentence, lower case, no full stop.
// `floor` and `levels` are those of the verdict, so that all its sentences have the same numbers.
std::string reason(const Assessment& assessment, const model::Floor& floor,
                   const std::optional<model::Levels>& levels);

// The two levels of a stable series that is never at what lies between them.
std::optional<model::Levels> find_levels(const Assessment& assessment);

// Absent when the verdict is conclusive.
std::optional<std::string> needs(const Assessment& assessment);

}  // namespace lowtide::judge
