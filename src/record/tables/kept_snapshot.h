// Which part of a snapshot a recording keeps: what is large, and what names a cause.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/snapshot.h"

namespace lowtide::record {

model::Snapshot kept_part(const model::Snapshot& snapshot);

struct KeptNodes {
  std::vector<model::HeldNode> nodes;
  std::vector<std::optional<std::size_t>>
      places;  // of each earlier node, or of the nearest kept one above it
};

// The `most` nodes that retain the most; each keeps the nearest holder that is left.
KeptNodes largest_nodes(const std::vector<model::HeldNode>& nodes, std::size_t most);

}  // namespace lowtide::record
