#include "symbols/test_capture.h"

#include <pthread.h>
#include <ucontext.h>

#include <algorithm>
#include <array>

namespace lowtide::symbols {
namespace {

#if defined(__x86_64__)
void copy_registers(const ucontext_t& context, Registers& into) {
  // In the order of DWARF's numbers.
  constexpr std::array<int, 16> kOrder = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                          REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                          REG_R12, REG_R13, REG_R14, REG_R15};
  // Only what a function keeps for its caller: getcontext saves no more.
  for (const unsigned number : {3U, 6U, 7U, 12U, 13U, 14U, 15U}) {
    into.set(number, static_cast<std::uint64_t>(context.uc_mcontext.gregs[kOrder[number]]));
  }
  into.pc = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
}
#else
void copy_registers(const ucontext_t& context, Registers& into) {
  for (unsigned number = 19; number < 31; ++number) {
    into.set(number, context.uc_mcontext.regs[number]);
  }
  into.set(31, context.uc_mcontext.sp);
  into.pc = context.uc_mcontext.pc;
}
#endif

std::size_t bytes_above(std::uint64_t sp) {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t size_bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return 0;
  }
  pthread_attr_getstack(&attributes, &lowest, &size_bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uint64_t>(lowest) + size_bytes - sp;
}

// Reads over the borders of variables, which is what a copy of a stack does.
__attribute__((no_sanitize("address", "undefined"))) void copy_stack(std::uint64_t sp,
                                                                     std::vector<std::byte>& into) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the stack pointer is a number here
  const volatile std::byte* from = reinterpret_cast<const volatile std::byte*>(sp);
  std::byte* to = into.data();
  for (std::size_t index = 0, count = into.size(); index < count; ++index) {
    to[index] = from[index];
  }
}

}  // namespace

void capture_here(Capture& into, std::size_t most_bytes) {
  ucontext_t context{};
  getcontext(&context);
  into.registers = {};
  copy_registers(context, into.registers);
  into.stack.resize(std::min(most_bytes, bytes_above(into.registers.sp())));
  copy_stack(into.registers.sp(), into.stack);
}

}  // namespace lowtide::symbols
