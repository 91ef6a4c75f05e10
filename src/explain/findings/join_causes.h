// One cause, one finding.
//
// Several matchers see the same growth: one sees the variable that holds it, one the line that allocates it,
// one the process that grows, one the phase that keeps it. The reader wants one finding with all of that.
#pragma once

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

void join_causes(Findings& findings);

}  // namespace lowtide::explain
