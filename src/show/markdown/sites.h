#pragma once

#include <string>

#include "model/report.h"

namespace lowtide::show {

// The section of the findings document about the places that allocate: a table, then
// the stacks of those that grew; empty without an agent.
std::string sites_markdown(const model::Report& report);

}  // namespace lowtide::show
