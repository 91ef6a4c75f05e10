// What held the memory of a GPU when an allocation there failed, and which line asked for it.
#pragma once

#include <optional>

#include "explain/findings/catalogue.h"
#include "explain/tensor_parts.h"
#include "model/code_line.h"
#include "model/sample.h"

namespace lowtide::explain {

struct GpuFailure {
  std::optional<model::CodeLine> line;  // the innermost line of the user's code; absent: not known
  TensorParts held;                     // without parts: no snapshot was taken then
  double at_s = model::kUnknown;        // of that snapshot
  const model::Snapshot* snapshot = nullptr;
  model::ProcessId process = {};
};

// The innermost line of the user in a stack of Python (model/python_stack.h); absent: not known.
std::optional<model::CodeLine> line_of_stack(SourceFiles& sources, const std::string& stack);

// `event` is the CudaOom. The agent takes a snapshot before the job handles the error.
GpuFailure find_gpu_failure(const Scene& scene, const model::Event& event);

}  // namespace lowtide::explain
