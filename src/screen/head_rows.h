// The top of the screen: the job, the verdict with its reason, the forecast, and the plot.
#pragma once

#include <vector>

#include "screen/display.h"
#include "screen/rows.h"
#include "screen/view.h"

namespace lowtide::screen {

// "lowtide  python train.py (4711)          12.0 min, step 1,230"
Row title_row(const View& view, const Display& display, std::size_t columns);

// At most `most` rows, the most important ones first.
std::vector<Row> verdict_rows(const View& view, std::size_t columns, std::size_t most);

// Exactly `rows` rows, or none if there is no room for a readable plot.
std::vector<Row> plot_rows(const View& view, std::size_t columns, std::size_t rows, bool unicode);

}  // namespace lowtide::screen
