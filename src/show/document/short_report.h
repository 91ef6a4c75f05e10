// Parts of the short report that have a file of their own.
#pragma once

#include <string>

#include "model/report.h"
#include "show/document/document.h"

namespace lowtide::show {

// "1.00 GB → 4.12 GB in 2,380 steps (6.5 min). The job reaches the limit (5 GB) at about step 3,000."
std::string growth_sentence(const model::Report& report, const model::SeriesReport& series);

// False: a single process holds the memory, and a table with a shell beside it adds nothing.
bool has_several_holders(const model::Report& report);

// One row per process or group, and one for what they share: the rows add up to the process tree.
Section short_processes_section(const model::Report& report);

}  // namespace lowtide::show
