// The registers of a stopped thread, and what must be done to them so that it runs
// something else and then goes on as if nothing had been.

#pragma once

#include <sys/user.h>

#include <cstdint>
#include <optional>

#include "symbols/registers.h"

namespace lowtide::attach {

// As the kernel has them (NT_PRSTATUS).
#if defined(__x86_64__)
using RawRegisters = user_regs_struct;
#else
using RawRegisters = user_regs_struct;
#endif

symbols::Registers to_registers(const RawRegisters& raw);

// The system call that the thread was taken out of and will have to repeat; nothing
// where it runs code of its own.
struct PendingCall {
  std::int64_t number = 0;
  std::uint64_t arguments[4] = {};
};

// `code_at_pc` is the word that the thread would run next.
std::optional<PendingCall> find_pending_call(const RawRegisters& raw, std::uint32_t code_at_pc);

// How a thread that was borrowed goes on afterwards: with the system call repeated, as
// the kernel would have done it.
struct ResumePoint {
  RawRegisters registers;  // to be restored; the pc in them is where to go back to
};
ResumePoint make_comeback(const RawRegisters& raw);

// `comeback`, but at `pc`, with the stack at `sp`, and no system call to be repeated.
RawRegisters redirect_to_stub(const ResumePoint& comeback, std::uint64_t pc, std::uint64_t sp);

std::uint64_t pc_of(const RawRegisters& raw);
std::uint64_t sp_of(const RawRegisters& raw);

// True for a system call in which threads wait, holding nothing that we need, and that
// may be restarted. The numbers are those of this architecture.
bool is_waiting_call(const PendingCall& call);
bool is_futex(const PendingCall& call);

}  // namespace lowtide::attach
