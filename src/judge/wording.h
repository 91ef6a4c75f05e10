// The sentences of a verdict: why, and what would settle it.
#pragma once

#include <optional>
#include <string>

#include "judge/assessment.h"
#include "judge/missing.h"

namespace lowtide::judge {

struct Reason {
  std::string text;          // one sentence, lower case, no full stop
  bool is_on_floor = false;  // it begins with "floor"
};

// `floor` and `levels` are those of the verdict, so that all its sentences have the same numbers.
Reason reason(const Assessment& assessment, const model::Floor& floor,
              const std::optional<model::Levels>& levels);

// The two levels of a stable series that is never at what lies between them.
std::optional<model::Levels> find_levels(const Assessment& assessment);

// What an inconclusive verdict needs if no length can be stated.
model::Needs longer_run();

// What an inconclusive verdict needs.
model::Needs needs(const Assessment& assessment, const Requirement& required);

}  // namespace lowtide::judge
