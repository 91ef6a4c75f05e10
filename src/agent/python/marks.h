// Steps, phases and torch's counters, told by the interpreter itself (wire::MarksPart).
#pragma once

#include <cstdint>

namespace lowtide::agent {

// Has the interpreter come to us when the monitor wants to know, by a pending call. At a sample.
void mark_if_asked();

// Has the script read torch's counters and describe torch's blocks now; with the GIL, outside of a HookScope.
// False: a signal handler of the job has raised an exception meanwhile, which goes on to the job.
bool prepare_snapshot();

// What the script has found of torch's blocks for the present snapshot (wire::BlocksRecord).
struct BlocksText {
  const char* letters;
  std::uint32_t bytes;
};
BlocksText blocks_text();

}  // namespace lowtide::agent
