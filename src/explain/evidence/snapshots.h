// What a snapshot shows by itself, and what grew between two.
#pragma once

#include "model/holder_report.h"

namespace lowtide::explain {

// The largest holders.
model::SnapshotReport describe_snapshot(model::Snapshot snapshot);

// The holders that grew: of a chain of holders the last that explains the growth of those above it.
model::SnapshotReport compare_snapshots(const model::Snapshot& earlier, model::Snapshot later);

}  // namespace lowtide::explain
