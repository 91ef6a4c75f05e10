// What can be known before anything is stopped: whether the target can be entered at all.

#pragma once

#include <sys/types.h>

#include <string_view>

#include "attach/inject.h"
#include "base/result.h"

namespace lowtide::attach {

struct Enterable {
  uid_t uid = 0;  // whose process it is
};

base::Result<Enterable> check_target(pid_t pid, const InjectOptions& options);

// The same where nothing is stopped (attach/remote_exec.h): a tracer is not in the way, but its
// program has to be one that we may run, so nothing may keep it in a world of its own.
base::Result<Enterable> check_target_of_remote_exec(pid_t pid, const InjectOptions& options);

// The text behind "name:" in a status file; empty where there is none.
std::string_view find_status_line(std::string_view status, std::string_view name);

// True for one on its way out too, and for a zombie, which still has a number.
bool has_ended(pid_t pid);

// A thread on its way out is closed to everybody, root too.
bool is_ending(pid_t pid, pid_t tid);

// Who traces it; 0: nobody, or not known.
pid_t tracer_of(pid_t pid);

}  // namespace lowtide::attach
