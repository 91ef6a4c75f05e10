// Calls of a known shape, compiled without frame pointers. The C names are those
// that an unwinder must find.
#pragma once

#include "symbols/test_capture.h"

extern "C" {

// calls_outer > calls_middle > calls_inner > capture_here
void calls_outer(lowtide::symbols::Capture* into);
// calls_through_qsort > qsort (libc) > calls_compare > capture_here
void calls_through_qsort(lowtide::symbols::Capture* into);
// calls_into_signal > raise (libc) > [trampoline] > calls_handler > capture_here
void calls_into_signal(lowtide::symbols::Capture* into);
// calls_deep `depth` times over each other, then capture_here
void calls_deep(lowtide::symbols::Capture* into, int depth);
// calls_realigned keeps its frame by a register, since it aligns its stack
void calls_realigned(lowtide::symbols::Capture* into);
}
