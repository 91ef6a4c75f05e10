// Entering a Python from 3.14 on by the door that it has for this: sys.remote_exec (PEP 768).
//
// Its own program, started a second time, makes the interpreter run a small script at the
// next chance of its main thread; the script loads the agent. Nothing is stopped and no ptrace
// is needed, so a debugger, strace or another profiler may be there already. The
// price: a main thread that waits, or is in a long call of C, does not come to it.

#pragma once

#include <sys/types.h>

#include "attach/inject.h"
#include "base/result.h"

namespace lowtide::attach {

// Whether it is worth a try: the program is a Python from 3.14 on.
bool has_remote_exec(pid_t pid);

// As begin_snapshot. Denied: no right to write its memory. Unsupported: no such Python, or it is
// told not to (PYTHON_DISABLE_REMOTE_DEBUG). Io: the main thread did not come to it in time.
base::Result<Injected> begin_snapshot_by_remote_exec(pid_t pid, const InjectOptions& options,
                                                     const WalkLimits& limits);

}  // namespace lowtide::attach
