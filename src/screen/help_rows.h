// The help page, shown by the key h.
#pragma once

#include <vector>

#include "screen/rows.h"
#include "screen/view.h"

namespace lowtide::screen {

// `is_child`: lowtide started the job, so q closes only the screen.
std::vector<Row> help_rows(const View& view, bool is_child, std::size_t columns);

}  // namespace lowtide::screen
