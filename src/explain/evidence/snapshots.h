// What a snapshot shows by itself, and what grew between two.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "model/holder_report.h"

namespace lowtide::explain {

// Names that the modules of the user's code may begin with.
using OwnModules = std::set<std::string, std::less<>>;

// The largest holders.
model::SnapshotReport describe_snapshot(model::Snapshot snapshot);

// The holders that grew: of a chain of holders the last that explains the growth of those above it. With the
// modules of the user's own code, private parts of objects of other classes are not named but the object is:
// `recorder.table`, not `recorder.table._mgr.blocks[0]`.
model::SnapshotReport compare_snapshots(const model::Snapshot& earlier, model::Snapshot later,
                                        const OwnModules* own = nullptr);

}  // namespace lowtide::explain
