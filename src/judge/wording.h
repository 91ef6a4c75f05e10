// The sentences of a verdict: why, and what would settle it.
#pragma once

#include <optional>
#include <string>

#include "judge/assessment.h"

namespace lowtide::judge {

// One sentence, lower case, no full stop.
std::string reason(const Assessment& assessment);

// Absent when the verdict is conclusive.
std::optional<std::string> needs(const Assessment& assessment);

}  // namespace lowtide::judge
