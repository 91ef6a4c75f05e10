// Which part of a snapshot a recording keeps: what is large, and what names a cause.
#pragma once

#include <cstddef>
#include <vector>

#include "model/snapshot.h"

namespace lowtide::record {

model::Snapshot kept_part(const model::Snapshot& snapshot);

// The `most` nodes that retain the most; each keeps the nearest holder that is left.
std::vector<model::HeldNode> largest_nodes(const std::vector<model::HeldNode>& nodes, std::size_t most);

}  // namespace lowtide::record
