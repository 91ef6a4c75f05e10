// The page about the selected process, line or variable, shown by Enter.
#pragma once

#include <cstddef>
#include <vector>

#include "screen/display.h"
#include "screen/rows.h"
#include "screen/view.h"

namespace lowtide::screen {

// Nothing is cut: long commands, paths and names are wrapped.
std::vector<Row> detail_rows(const View& view, const Display& display, std::size_t columns);

}  // namespace lowtide::screen
