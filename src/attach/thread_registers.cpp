#include "attach/thread_registers.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>

namespace lowtide::attach {

#if defined(__x86_64__)

namespace {

// What the kernel leaves in rax for itself (include/linux/errno.h).
constexpr std::int64_t kRestartSys = -512;
constexpr std::int64_t kRestartNoIntr = -513;
constexpr std::int64_t kRestartNoHand = -514;
constexpr std::int64_t kRestartBlock = -516;
constexpr std::uint64_t kSyscallBytes = 2;

bool is_restart(std::uint64_t rax) {
  const auto value = static_cast<std::int64_t>(rax);
  return value == kRestartSys || value == kRestartNoIntr || value == kRestartNoHand || value == kRestartBlock;
}

bool has_pending_call(const RawRegisters& raw) {
  return static_cast<std::int64_t>(raw.orig_rax) >= 0 && is_restart(raw.rax);
}

}  // namespace

symbols::Registers to_registers(const RawRegisters& raw) {
  symbols::Registers registers{.arch = symbols::Arch::Amd64, .pc = raw.rip};
  const std::array<std::uint64_t, 16> ordered = {raw.rax, raw.rdx, raw.rcx, raw.rbx, raw.rsi, raw.rdi,
                                                 raw.rbp, raw.rsp, raw.r8,  raw.r9,  raw.r10, raw.r11,
                                                 raw.r12, raw.r13, raw.r14, raw.r15};
  for (unsigned number = 0; number < ordered.size(); ++number) {
    registers.set(number, ordered[number]);
  }
  return registers;
}

std::optional<PendingCall> find_pending_call(const RawRegisters& raw, std::uint32_t /*code_at_pc*/) {
  if (!has_pending_call(raw)) {
    return std::nullopt;
  }
  return PendingCall{static_cast<std::int64_t>(raw.orig_rax), {raw.rdi, raw.rsi, raw.rdx, raw.r10}};
}

ResumePoint make_comeback(const RawRegisters& raw) {
  ResumePoint comeback{raw};
  if (has_pending_call(raw)) {
    const bool is_block = static_cast<std::int64_t>(raw.rax) == kRestartBlock;
    comeback.registers.rax = is_block ? SYS_restart_syscall : raw.orig_rax;
    comeback.registers.rip = raw.rip - kSyscallBytes;
  }
  return comeback;
}

RawRegisters redirect_to_stub(const ResumePoint& comeback, std::uint64_t pc, std::uint64_t sp) {
  RawRegisters raw = comeback.registers;
  raw.rip = pc;
  raw.rsp = sp;
  raw.orig_rax = ~0ULL;
  return raw;
}

std::uint64_t pc_of(const RawRegisters& raw) {
  return raw.rip;
}
std::uint64_t sp_of(const RawRegisters& raw) {
  return raw.rsp;
}

namespace {

constexpr std::array kWaitingCalls = {
    SYS_futex,           SYS_poll,        SYS_ppoll,     SYS_select,  SYS_pselect6,
    SYS_epoll_wait,      SYS_epoll_pwait, SYS_nanosleep, SYS_read,    SYS_write,
    SYS_pread64,         SYS_pwrite64,    SYS_recvfrom,  SYS_recvmsg, SYS_sendto,
    SYS_sendmsg,         SYS_accept,      SYS_accept4,   SYS_wait4,   SYS_waitid,
    SYS_clock_nanosleep, SYS_readv,       SYS_writev,    SYS_ioctl,   SYS_flock,
    SYS_restart_syscall,
};

// The kernel says itself how a call with a time limit is to be repeated.
bool may_repeat(const PendingCall& /*call*/) {
  return true;
}

}  // namespace

#else

namespace {

constexpr std::uint32_t kSvc = 0xd4000001U;

constexpr std::array kWaitingCalls = {
    SYS_futex,    SYS_ppoll,   SYS_pselect6, SYS_epoll_pwait, SYS_read,    SYS_write,  SYS_pread64,
    SYS_pwrite64, SYS_recvmsg, SYS_recvfrom, SYS_sendto,      SYS_sendmsg, SYS_accept, SYS_accept4,
    SYS_wait4,    SYS_waitid,  SYS_readv,    SYS_writev,      SYS_ioctl,   SYS_flock,  SYS_clock_nanosleep,
};

// The kernel has put the registers back already and does not say that a call has a time
// limit that began long ago: those calls are left alone. With an absolute limit the call
// can be restarted.
bool may_repeat(const PendingCall& call) {
  if (call.number == SYS_clock_nanosleep) {
    return (call.arguments[1] & TIMER_ABSTIME) != 0;
  }
  if (call.number == SYS_futex) {
    const auto operation = static_cast<int>(call.arguments[1]) & FUTEX_CMD_MASK;
    return call.arguments[3] == 0 || operation == FUTEX_WAIT_BITSET;
  }
  return true;
}

}  // namespace

symbols::Registers to_registers(const RawRegisters& raw) {
  symbols::Registers registers{.arch = symbols::Arch::Aarch64, .pc = raw.pc};
  for (unsigned number = 0; number < 31; ++number) {
    registers.set(number, raw.regs[number]);
  }
  registers.set(31, raw.sp);
  return registers;
}

// At the instruction itself: about to be run, or to be repeated. Both are the same to us.
std::optional<PendingCall> find_pending_call(const RawRegisters& raw, std::uint32_t code_at_pc) {
  if (code_at_pc != kSvc) {
    return std::nullopt;
  }
  return PendingCall{static_cast<std::int64_t>(raw.regs[8]),
                     {raw.regs[0], raw.regs[1], raw.regs[2], raw.regs[3]}};
}

ResumePoint make_comeback(const RawRegisters& raw) {
  return {raw};
}

RawRegisters redirect_to_stub(const ResumePoint& comeback, std::uint64_t pc, std::uint64_t sp) {
  RawRegisters raw = comeback.registers;
  raw.pc = pc;
  raw.sp = sp;
  return raw;
}

std::uint64_t pc_of(const RawRegisters& raw) {
  return raw.pc;
}
std::uint64_t sp_of(const RawRegisters& raw) {
  return raw.sp;
}

#endif

bool is_waiting_call(const PendingCall& call) {
  const auto is_it = [&call](long number) { return number == call.number; };
  return std::any_of(kWaitingCalls.begin(), kWaitingCalls.end(), is_it) && may_repeat(call);
}

bool is_futex(const PendingCall& call) {
  return call.number == SYS_futex;
}

}  // namespace lowtide::attach
