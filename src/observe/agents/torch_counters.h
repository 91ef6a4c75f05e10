// The counters of torch, joined with the readings of the driver.
#pragma once

#include <span>

#include "gpu/reading.h"
#include "model/process.h"
#include "model/tick.h"
#include "observe/agents/agent_ring.h"

namespace lowtide::observe {

// torch numbers the GPUs that the process was given, the driver all of them (`devices`). They are matched by
// UUID. Where CUDA did not return one, they are matched by order if the amounts agree with it, otherwise not
// at all.
void add_torch_counters(model::ProcessId id, const AgentMarks& marks, std::span<const gpu::Device> devices,
                        model::Tick& tick);

}  // namespace lowtide::observe
