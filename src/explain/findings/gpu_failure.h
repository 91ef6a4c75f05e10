// What held the memory of a GPU when an allocation there failed, and which line asked for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/findings/catalogue.h"
#include "model/finding.h"

namespace lowtide::explain {

struct GpuFailure {
  std::optional<model::CodeLine> line;   // the innermost line of the user's code; absent: not known
  std::vector<model::MemoryPart> parts;  // of the tensors, most first; empty: no snapshot was taken then
  bool is_mostly_graph = false;          // most of it belongs to autograd graphs
  std::string variable = {};             // beside graphs, model and optimizer the one that held most
  std::uint64_t variable_bytes = 0;
};

// `event` is the CudaOom. The agent takes a snapshot before the job handles the error.
GpuFailure find_gpu_failure(const Scene& scene, const model::Event& event);

}  // namespace lowtide::explain
