// The code that lowtide puts into the target, and its arguments.
//
// Nothing that we do to the target may need us afterwards: we can be killed between any
// two instructions, and then the kernel lets the thread run on from where its registers
// say. A call whose return address is a trap would crash it. So the thread is given
// everything at once, by setting its registers a single time: it runs the stub, which
// saves every register, does the work, restores every register and goes back to where
// the thread was. We let go of the thread at once and hear of the result by a datagram.
//
// The stub lies in the bytes between the end of a library's code and the end of the
// last page of it: mapped, executable, and used by nobody. It is the same code every
// time (x86_64), so it is written once and never changed while somebody runs it. What
// is different from time to time is a block on the thread's own stack, below what the
// thread uses.
//
// Where the target has several threads, the stub only starts a new one and goes back:
// dlopen waits for locks, and a thread that we borrowed may hold one that the other
// side waits for. A thread of our own holds none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "attach/stub_block.h"

namespace lowtide::attach {

// How far below its stack pointer a thread may have something (the ABI's red zone).
#if defined(__x86_64__)
inline constexpr std::uint64_t kRedZoneBytes = 128;
inline constexpr std::uint64_t kReturnBytes = 8;  // the way back, between block and red zone
inline constexpr std::uint64_t kStackAlignment = 1;
// Any place will do; aarch64 only knows how to go back to a system call, where the wide
// vector registers hold nothing.
inline constexpr bool kNeedsPendingCall = false;
#else
inline constexpr std::uint64_t kRedZoneBytes = 0;
inline constexpr std::uint64_t kReturnBytes = 0;
inline constexpr std::uint64_t kStackAlignment = 16;
inline constexpr bool kNeedsPendingCall = true;
#endif

// The code as it lies in our own memory. It can be copied to any address that is a
// multiple of 16.
std::span<const std::byte> stub_code();
// Where in it to begin, and where lowtide_stub_work is.
std::size_t stub_entry_offset();
std::size_t stub_work_offset();
// aarch64: the branch back to where the thread was, the last word that the entry runs.
std::size_t stub_back_offset();

// x86_64: the way back is on the stack, and every use has the same code. aarch64 has no
// jump that spares all registers but one with the distance in it, so each use has its own.
#if defined(__x86_64__)
inline constexpr bool kStubIsShared = true;
#else
inline constexpr bool kStubIsShared = false;
#endif

// What XSAVE writes on this machine; 0 where there is none.
std::uint64_t vector_state_bytes();

}  // namespace lowtide::attach
