// The line of the job that creates memory which no process maps. No stack shows it: the memory is not
// allocated, but written through a descriptor. The source does, where only one line calls what creates memory
// of this kind.
#pragma once

#include <optional>

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

// Absent where no line of the job's copied files creates memory of this kind, or several lines do.
std::optional<model::CodeLine> find_creating_line(const Scene& scene, const model::SharedGroup& group);

}  // namespace lowtide::explain
