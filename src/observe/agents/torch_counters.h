// What torch says of GPUs, put beside what the driver says.
#pragma once

#include "model/process.h"
#include "model/tick.h"
#include "observe/agents/agent_ring.h"

namespace lowtide::observe {

// torch numbers the GPUs that it was given, the driver all of them. Those on which the process has something
// are taken to be in the same order; where the amounts say otherwise, nothing is said.
void tell_torch(model::ProcessId id, const AgentMarks& marks, model::Tick& tick);

}  // namespace lowtide::observe
