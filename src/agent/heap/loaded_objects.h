// Visits the objects that the loader has loaded.

#pragma once

#include <link.h>

#include <cstddef>

namespace lowtide::agent {

using VisitObject = int (*)(dl_phdr_info* object, std::size_t bytes, void* into);

// Calls dl_iterate_phdr unless a sanitizer has replaced it. The replacement crashes while the sanitizer
// starts, and the sanitizer calls our dlsym at that time. In that case this function reads the loader's list
// without its lock. That is safe because the process has only one thread then.
void visit_objects(VisitObject visit, void* into);

}  // namespace lowtide::agent
