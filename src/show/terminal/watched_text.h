#pragma once

#include <cstddef>
#include <string>

#include "model/report.h"
#include "show/terminal/paint.h"
#include "show/terminal/text.h"

namespace lowtide::show {

// What the terminal report of a watched job has besides: its processes, where
// the memory of the cgroup went, the findings.
std::string watched_text(const model::Report& report, const TextOptions& options, const Paint& paint,
                         std::size_t width);

}  // namespace lowtide::show
