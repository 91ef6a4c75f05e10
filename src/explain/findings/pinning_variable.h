// The variable whose small objects keep freed memory from being used again.
//
// A block that is kept between two freed ones divides them: neither can serve a larger request, and neither
// can be returned to the kernel. A graph node of 500 bytes per step can cost half a megabyte per step.
#pragma once

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

// Names it in the finding about free memory that the allocator keeps, if one variable of the process gained
// most of what its objects gained and never lost any.
void blame_pinning_variable(const Scene& scene, const model::ProcessInfo& process, model::Finding& finding);

}  // namespace lowtide::explain
