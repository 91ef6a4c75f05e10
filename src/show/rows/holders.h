// The variables that keep memory, for the report of a snapshot and for the screen.
#pragma once

#include <string>
#include <vector>

#include "model/holder_report.h"

namespace lowtide::show {

// "__main__.main.trainer.history (list, in train.py:113)"; printable.
std::string holder_name(const model::HeldNode& node);

// Of a snapshot by itself: the variables that hold the most. What only holds such variables is left out, and
// so are elements of what is shown.
std::vector<const model::HolderReport*> largest_holders(const std::vector<model::HolderReport>& all);

}  // namespace lowtide::show
