// The page that h shows.
#pragma once

#include <vector>

#include "screen/rows.h"
#include "screen/view.h"

namespace lowtide::screen {

// `is_child`: the job was started by us, so that q does not end the watching.
std::vector<Row> help_rows(const View& view, bool is_child, std::size_t columns);

}  // namespace lowtide::screen
