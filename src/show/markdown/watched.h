#pragma once

#include <string>

#include "model/report.h"

namespace lowtide::show {

// The findings document of a watched job, as a colleague would write it:
// summary, evidence, verdict per process, what was ruled out, what to do next,
// what to watch.
std::string watched_markdown(const model::Report& report);

}  // namespace lowtide::show
