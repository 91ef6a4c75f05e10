// The registers that an unwinder needs, as they are at this point of the function.
// A macro's job, but an inlined function does it: always_inline keeps the point in
// the caller, whose unwind tables describe it.

#pragma once

#include <cstdint>

#include "wire/layout.h"

namespace lowtide::agent {

__attribute__((always_inline)) inline void read_registers(std::uint64_t (&into)[wire::kRegisters]) {
#if defined(__x86_64__)
  asm volatile(
      "leaq 0(%%rip), %%rax\n\t"
      "movq %%rax, 0(%0)\n\t"
      "movq %%rsp, 8(%0)\n\t"
      "movq %%rbp, 16(%0)\n\t"
      "movq %%rbx, 24(%0)\n\t"
      "movq %%r12, 32(%0)\n\t"
      "movq %%r13, 40(%0)\n\t"
      "movq %%r14, 48(%0)\n\t"
      "movq %%r15, 56(%0)\n\t"
      :
      : "r"(into)
      : "rax", "memory");
#else
  asm volatile(
      "adr x9, .\n\t"
      "mov x10, sp\n\t"
      "stp x9, x10, [%0]\n\t"
      "stp x29, x30, [%0, #16]\n\t"
      "stp x19, x20, [%0, #32]\n\t"
      "stp x21, x22, [%0, #48]\n\t"
      "stp x23, x24, [%0, #64]\n\t"
      "stp x25, x26, [%0, #80]\n\t"
      "stp x27, x28, [%0, #96]\n\t"
      :
      : "r"(into)
      : "x9", "x10", "memory");
#endif
}

}  // namespace lowtide::agent
