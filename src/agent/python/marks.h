// Steps, phases and torch's counters, told by the interpreter itself (wire::MarksPart).
#pragma once

namespace lowtide::agent {

// Has the interpreter come to us when the monitor wants to know, by a pending call. At a sample.
void mark_if_asked();

// Has the script read torch's counters now; with the GIL, outside of a HookScope. False: a signal handler of
// the job has raised an exception meanwhile, which goes on to the job.
bool count_devices();

}  // namespace lowtide::agent
