// What the listed objects hold: how many objects of each type, and how large they are.

#pragma once

#include <cstdint>

#include "agent/python/walk/object_graph.h"
#include "agent/python/walk/snapshot_file.h"

namespace lowtide::agent {

// After ObjectGraph::assign_to(). Contents for which there is no room are left out.
void write_contents(ObjectGraph& graph, SnapshotFile& file);

}  // namespace lowtide::agent
