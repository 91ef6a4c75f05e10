#pragma once

#include <cstddef>
#include <string_view>

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

// Time, rank and pid before the message itself, e.g. "[rank0]:[titan] 2026-05-18 16:04:46,338 - ".
// Returns where the message begins.
std::size_t take_prefix(std::string_view shape, ShapePlan& plan);

}  // namespace lowtide::ingest
