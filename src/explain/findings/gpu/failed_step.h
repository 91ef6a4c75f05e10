// What grew only because the step in which an allocation failed needed more.
#pragma once

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

// Such growth is not why the allocation failed: its findings are kept for information, without advice.
void clear_growth_of_failed_step(Findings& findings);

}  // namespace lowtide::explain
