// Visits the objects that the loader has loaded.

#pragma once

#include <link.h>

#include <cstddef>

namespace lowtide::agent {

using VisitObject = int (*)(dl_phdr_info* object, std::size_t bytes, void* into);

// dl_iterate_phdr, except under a sanitizer that replaces it. That replacement cannot be called while the
// sanitizer itself starts, and it asks us for dlsym then. There the loader's list is read without its lock:
// only while the process starts, which it does with one thread.
void visit_objects(VisitObject visit, void* into);

}  // namespace lowtide::agent
