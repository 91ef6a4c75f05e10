// What the tensors of a process on GPUs are used for, by what holds them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/memory_part.h"
#include "model/snapshot.h"

namespace lowtide::explain {

struct TensorParts {
  std::vector<model::MemoryPart> parts;  // most first; they add up to the tensors of the snapshot
  bool is_mostly_graph = false;          // most of it belongs to autograd graphs
  std::string variable = {};             // beside graphs, model and optimizer the one that holds most
  std::uint64_t variable_bytes = 0;
};

TensorParts find_tensor_parts(const model::Snapshot& snapshot);

}  // namespace lowtide::explain
