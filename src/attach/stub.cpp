// Compiled on its own terms (CMakeLists.txt): only general registers, no sanitizer, no
// call that leaves the section. attach_test looks that no relocation is left in it.

#include "attach/stub_block.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <csignal>
#include <ctime>

#define LOWTIDE_STUB extern "C" __attribute__((section("lowtide_stub"), used, noinline, visibility("hidden")))
#define LOWTIDE_TEXT_(number) #number
#define LOWTIDE_TEXT(number) LOWTIDE_TEXT_(number)
#define LOWTIDE_BLOCK_BYTES 1392

static_assert(LOWTIDE_BLOCK_BYTES == lowtide::attach::kStubBlockBytes);

// --- in and out ---------------------------------------------------------------
//
// Begins with the block at the stack pointer and every other register as the thread had
// it. Leaves with all of them as they were.

#if defined(__x86_64__)
// Above the block lies the address to go back to, and above that the red zone, which the
// last instruction steps over without a register.
asm(R"(
  .pushsection lowtide_stub,"ax",@progbits
  .balign 16
  .globl lowtide_stub_entry
  .hidden lowtide_stub_entry
  .type lowtide_stub_entry,@function
lowtide_stub_entry:
  pushfq
  cld
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rbx
  pushq %rbp
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, %rbx
  leaq 128(%rsp), %rdi
  subq (%rdi), %rsp
  andq $-64, %rsp
  xorl %eax, %eax
  movq %rax, 512(%rsp)
  movq %rax, 520(%rsp)
  movq %rax, 528(%rsp)
  movq %rax, 536(%rsp)
  movq %rax, 544(%rsp)
  movq %rax, 552(%rsp)
  movq %rax, 560(%rsp)
  movq %rax, 568(%rsp)
  movl $-1, %eax
  movl $-1, %edx
  xsave64 (%rsp)
  movq %rsp, %r12
  call lowtide_stub_main
  movl $-1, %eax
  movl $-1, %edx
  xrstor64 (%r12)
  movq %rbx, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rbp
  popq %rbx
  popq %rdx
  popq %rcx
  popq %rax
  popfq
  leaq )" LOWTIDE_TEXT(LOWTIDE_BLOCK_BYTES) R"((%rsp), %rsp
  .globl lowtide_stub_back
  .hidden lowtide_stub_back
lowtide_stub_back:
  ret $128
  .popsection
)");
#elif defined(__aarch64__)
// The frame: x0..x30, flags, fpcr, fpsr, then q0..q31. The thread stands at a system
// call, which keeps no more of the vector registers than that.
asm(R"(
  .pushsection lowtide_stub,"ax",@progbits
  .balign 16
  .globl lowtide_stub_entry
  .hidden lowtide_stub_entry
  .type lowtide_stub_entry,%function
lowtide_stub_entry:
  sub sp, sp, #784
  stp x0, x1, [sp, #0]
  stp x2, x3, [sp, #16]
  stp x4, x5, [sp, #32]
  stp x6, x7, [sp, #48]
  stp x8, x9, [sp, #64]
  stp x10, x11, [sp, #80]
  stp x12, x13, [sp, #96]
  stp x14, x15, [sp, #112]
  stp x16, x17, [sp, #128]
  stp x18, x19, [sp, #144]
  stp x20, x21, [sp, #160]
  stp x22, x23, [sp, #176]
  stp x24, x25, [sp, #192]
  stp x26, x27, [sp, #208]
  stp x28, x29, [sp, #224]
  mrs x9, nzcv
  stp x30, x9, [sp, #240]
  mrs x9, fpcr
  mrs x10, fpsr
  stp x9, x10, [sp, #256]
  stp q0, q1, [sp, #272]
  stp q2, q3, [sp, #304]
  stp q4, q5, [sp, #336]
  stp q6, q7, [sp, #368]
  stp q8, q9, [sp, #400]
  stp q10, q11, [sp, #432]
  stp q12, q13, [sp, #464]
  stp q14, q15, [sp, #496]
  stp q16, q17, [sp, #528]
  stp q18, q19, [sp, #560]
  stp q20, q21, [sp, #592]
  stp q22, q23, [sp, #624]
  stp q24, q25, [sp, #656]
  stp q26, q27, [sp, #688]
  stp q28, q29, [sp, #720]
  stp q30, q31, [sp, #752]
  mov x19, sp
  add x0, sp, #784
  bl lowtide_stub_main
  mov sp, x19
  ldp q0, q1, [sp, #272]
  ldp q2, q3, [sp, #304]
  ldp q4, q5, [sp, #336]
  ldp q6, q7, [sp, #368]
  ldp q8, q9, [sp, #400]
  ldp q10, q11, [sp, #432]
  ldp q12, q13, [sp, #464]
  ldp q14, q15, [sp, #496]
  ldp q16, q17, [sp, #528]
  ldp q18, q19, [sp, #560]
  ldp q20, q21, [sp, #592]
  ldp q22, q23, [sp, #624]
  ldp q24, q25, [sp, #656]
  ldp q26, q27, [sp, #688]
  ldp q28, q29, [sp, #720]
  ldp q30, q31, [sp, #752]
  ldp x9, x10, [sp, #256]
  msr fpcr, x9
  msr fpsr, x10
  ldp x30, x9, [sp, #240]
  msr nzcv, x9
  ldp x28, x29, [sp, #224]
  ldp x26, x27, [sp, #208]
  ldp x24, x25, [sp, #192]
  ldp x22, x23, [sp, #176]
  ldp x20, x21, [sp, #160]
  ldp x18, x19, [sp, #144]
  ldp x16, x17, [sp, #128]
  ldp x14, x15, [sp, #112]
  ldp x12, x13, [sp, #96]
  ldp x10, x11, [sp, #80]
  ldp x8, x9, [sp, #64]
  ldp x6, x7, [sp, #48]
  ldp x4, x5, [sp, #32]
  ldp x2, x3, [sp, #16]
  ldp x0, x1, [sp, #0]
  add sp, sp, #784
  add sp, sp, #)" LOWTIDE_TEXT(LOWTIDE_BLOCK_BYTES) R"(
  .globl lowtide_stub_back
  .hidden lowtide_stub_back
lowtide_stub_back:
  b .
  .popsection
)");
#endif

namespace {

using lowtide::attach::StubBlock;
using lowtide::attach::StubReport;
using lowtide::attach::StubStage;

__attribute__((always_inline)) inline long kernel(long number, long a = 0, long b = 0, long c = 0, long d = 0,
                                                  long e = 0, long f = 0) {
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
#else
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
  return x0;
#endif
}

__attribute__((always_inline)) inline long word_of(const void* pointer) {
  return reinterpret_cast<long>(pointer);
}

__attribute__((always_inline)) inline std::uint64_t now_ns() {
  timespec now;  // NOLINT(cppcoreguidelines-pro-type-member-init): the kernel fills it
  kernel(SYS_clock_gettime, CLOCK_MONOTONIC, word_of(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

// Byte by byte through volatile, or the compiler makes it a call of memcpy.
__attribute__((always_inline)) inline void copy(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<volatile char*>(to);
  const auto* in = static_cast<const volatile char*>(from);
  for (std::size_t at = 0; at < bytes; ++at) {
    out[at] = in[at];
  }
}

template <typename Function>
__attribute__((always_inline)) inline Function* function_at(std::uint64_t address) {
  return reinterpret_cast<Function*>(address);  // NOLINT(performance-no-int-to-ptr): of the target
}

}  // namespace

LOWTIDE_STUB void lowtide_stub_report(const StubBlock& block, StubStage stage, long value,
                                      std::uint64_t began_ns, const char* reason) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): clearing it would be a call of memset
  StubReport told;
  told.token = block.token;
  told.stage = stage;
  told.value = static_cast<std::int32_t>(value);
  told.began_ns = began_ns;
  told.ended_ns = now_ns();
  auto* letters = static_cast<volatile char*>(told.reason);
  std::size_t count = 0;
  for (; reason != nullptr && reason[count] != 0 && count + 1 < sizeof(told.reason); ++count) {
    letters[count] = reason[count];
  }
  for (; count < sizeof(told.reason); ++count) {
    letters[count] = 0;
  }
  const long socket = kernel(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket >= 0) {
    kernel(SYS_sendto, socket, word_of(&told), sizeof(told), MSG_DONTWAIT | MSG_NOSIGNAL,
           word_of(&block.report_to), static_cast<long>(block.report_to_bytes));
    kernel(SYS_close, socket);
  }
}

// Opens the library and calls its function. `page` holds the block, and goes at the end.
LOWTIDE_STUB void* lowtide_stub_work(void* page) {
  auto& block = *static_cast<StubBlock*>(page);
  const std::uint64_t began_ns = now_ns();
  if (block.create_thread != 0) {
    kernel(SYS_prctl, PR_SET_NAME, word_of(block.thread_name));
    function_at<int(void*)>(block.detach_thread)(function_at<void*()>(block.this_thread)());
  }
  constexpr int kNow = 2;  // RTLD_NOW
  void* library = function_at<void*(const char*, int)>(block.open_library)(block.library, kNow);
  // The loader looks the function up. Its place in the file would be wrong where the process has loaded an
  // earlier version of the library: dlopen returns what was loaded by that name, also after the file was
  // replaced.
  void* function = library == nullptr
                       ? nullptr
                       : function_at<void*(void*, const char*)>(block.find_function)(library, block.function);
  if (function == nullptr) {
    lowtide_stub_report(block, StubStage::NoLibrary, 0, began_ns,
                        function_at<const char*()>(block.last_error)());
  } else {
    const int result = reinterpret_cast<int (*)(const char*)>(function)(block.argument);
    lowtide_stub_report(block, StubStage::Done, result, began_ns, nullptr);
  }
  kernel(SYS_munmap, word_of(page), sizeof(StubBlock));
  return nullptr;
}

// In the borrowed thread, between saving and restoring its registers.
LOWTIDE_STUB void lowtide_stub_main(StubBlock* block) {
  const std::uint64_t began_ns = now_ns();
  const long mapped =
      kernel(SYS_mmap, 0, sizeof(StubBlock), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped < 0 && mapped > -4096) {
    lowtide_stub_report(*block, StubStage::NoMemory, -mapped, began_ns, nullptr);
    return;
  }
  void* page =
      reinterpret_cast<void*>(mapped);  // NOLINT(performance-no-int-to-ptr): the kernel gives a number
  copy(page, block, sizeof(StubBlock));
  int* error = function_at<int*()>(block->errno_location)();
  const int saved_errno = *error;
  if (block->create_thread == 0) {
    function_at<void*(void*)>(block->work)(page);
  } else {
    // The new thread inherits the mask: no signal of the job is handled on it.
    const std::uint64_t all = ~0ULL;
    std::uint64_t before = 0;
    kernel(SYS_rt_sigprocmask, SIG_SETMASK, word_of(&all), word_of(&before), sizeof(all));
    std::uint64_t thread = 0;
    const int failed = function_at<int(void*, const void*, std::uint64_t, void*)>(block->create_thread)(
        &thread, nullptr, block->work, page);
    kernel(SYS_rt_sigprocmask, SIG_SETMASK, word_of(&before), 0, sizeof(before));
    if (failed != 0) {
      lowtide_stub_report(*block, StubStage::NoThread, failed, began_ns, nullptr);
      kernel(SYS_munmap, mapped, sizeof(StubBlock));
    } else {
      lowtide_stub_report(*block, StubStage::Returned, 0, began_ns, nullptr);
    }
  }
  *error = saved_errno;
}
