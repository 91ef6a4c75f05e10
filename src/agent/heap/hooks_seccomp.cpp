// Detects that the job is about to install a seccomp filter (seccomp.h).
//
// Both hooks end in a tail call. A caller of syscall() may create a process or switch stacks, so no frame of
// the agent may be on the stack.

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "agent/heap/hook.h"
#include "agent/heap/real.h"
#include "agent/heap/seccomp.h"

extern "C" {

int hook_prctl(int, unsigned long, unsigned long, unsigned long, unsigned long) noexcept LOWTIDE_HOOK(prctl);
long hook_syscall(long, long, long, long, long, long, long) noexcept LOWTIDE_HOOK(syscall);
}

namespace {

using lowtide::agent::g_real;
using lowtide::agent::leave_before_filter;

bool installs_filter(long number, long first) {
#ifdef SYS_seccomp
  if (number == SYS_seccomp) {
    return first == SECCOMP_SET_MODE_STRICT || first == SECCOMP_SET_MODE_FILTER;
  }
#endif
  return number == SYS_prctl && first == PR_SET_SECCOMP;
}

}  // namespace

int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) noexcept {
  if (option == PR_SET_SECCOMP) {
    leave_before_filter();
  }
  return g_real.prctl(option, a, b, c, d);
}

long hook_syscall(long number, long a, long b, long c, long d, long e, long f) noexcept {
  if (installs_filter(number, a)) {
    leave_before_filter();
  }
  return g_real.syscall(number, a, b, c, d, e, f);
}
