// Chooses the snapshots whose objects are read where a recording has too many of them.
//
// A run of a day with 64 Python processes has about 2,000 snapshots of up to 300 objects each. The report
// compares the first snapshot of a process with its last, and looks at the way between them: a few in between
// are enough.
#pragma once

#include <cstddef>
#include <vector>

#include "record/recorded.h"

namespace lowtide::record {

// Sets has_holders of at most `most` snapshots and returns how many these are. All where there are no more.
// Else snapshots between the first and the last of a process are left out first, evenly.
std::size_t choose_snapshots(std::vector<RecordedSnapshot>& snapshots, std::size_t most);

}  // namespace lowtide::record
