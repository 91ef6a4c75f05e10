// What can be known before anything is stopped: whether the target can be entered at all.

#pragma once

#include <sys/types.h>

#include "attach/inject.h"
#include "base/result.h"

namespace lowtide::attach {

struct Enterable {
  uid_t uid = 0;  // whose process it is
};

base::Result<Enterable> check_target(pid_t pid, const InjectOptions& options);

// Who traces it; 0: nobody, or not known.
pid_t tracer_of(pid_t pid);

}  // namespace lowtide::attach
