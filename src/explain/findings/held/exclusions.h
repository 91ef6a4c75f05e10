// What a growth could have been, and was measured not to be.
#pragma once

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

// For findings that blame something: so that nobody looks elsewhere again.
void add_exclusions(const Scene& scene, Findings& findings);

}  // namespace lowtide::explain
