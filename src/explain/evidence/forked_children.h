// Whose pages are they, when a process has forked?
//
// A parent and its forked children share each page until one of them writes to it. When a child copies a
// page, or ends, the page may be the parent's alone: its private memory rises, although it allocated nothing.
// What the parent holds, shared or not, changes only when the parent allocates or frees.
#pragma once

#include "explain/evidence/evidence.h"

namespace lowtide::explain {

// It shares pages in most of its readings.
bool shares_pages(const RecordedSeries& series);

// The own bytes of each process that shares pages with children, and of all that it followed or that followed
// it, become what it holds.
void count_shared_pages_of_parents(Evidence& evidence);

}  // namespace lowtide::explain
