// Steps, phases and torch's counters, told by the interpreter itself (wire::MarksPart).
#pragma once

namespace lowtide::agent {

// Has the interpreter come to us when the monitor wants to know, by a pending call. At a sample.
void mark_if_asked();

}  // namespace lowtide::agent
