// System calls without libc: they leave errno alone, cannot be interposed by
// ourselves, and need no symbol of a newer glibc.

#pragma once

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

namespace lowtide::agent {

// What the kernel says: a result, or -errno.
inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result = number;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
  return x0;
#else
#error "the agent knows x86_64 and aarch64"
#endif
}

inline long as_word(const void* pointer) {
  return reinterpret_cast<long>(pointer);
}

inline bool failed(long result) {
  return result < 0 && result > -4096;
}

inline std::int32_t own_pid() {
  return static_cast<std::int32_t>(system_call(SYS_getpid));
}

// True when the 8 bytes at `address` can be read. rt_sigprocmask copies its set
// before it looks at `how`: EFAULT for bad memory, EINVAL for good. Every sandbox
// allows it, and it costs a tenth of process_vm_readv.
inline bool is_readable(std::uintptr_t address) {
  constexpr long kBadHow = ~0L;
  constexpr long kFault = -14;
  return system_call(SYS_rt_sigprocmask, kBadHow, static_cast<long>(address), 0, 8) != kFault;
}

}  // namespace lowtide::agent
