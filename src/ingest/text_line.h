#pragma once

#include <cstddef>
#include <string_view>

#include "ingest/plan.h"

namespace lowtide::ingest {

// A line of words and numbers, as programs print for people: the words beside
// a number say what it is. Fills the plan and returns true when there is
// memory, a step, an epoch or a writer's pid in it.
bool analyse_text(const Line& line, Plan& plan);

// Time, rank and pid before the message itself, e.g. "[rank0]:[titan] 2026-05-18 16:04:46,338 - ".
// Returns where the message begins.
std::size_t take_prefix(std::string_view shape, Plan& plan);

}  // namespace lowtide::ingest
