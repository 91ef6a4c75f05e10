// One thread of the target, stopped by ptrace for as long as this object lives.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "attach/thread_registers.h"
#include "base/result.h"

namespace lowtide::attach {

// The thread that makes it is the tracer, and nobody else may use it. When the tracer
// ends, however it ends, the kernel lets the thread go: PTRACE_O_EXITKILL is never set.
class StoppedThread {
 public:
  // Gone: the thread ended. Denied: ptrace is not allowed. Unsupported: the whole
  // process is stopped (SIGSTOP). Io: it did not stop in time; then the tracer must end,
  // since a thread that runs cannot be let go of.
  static base::Result<StoppedThread> stop(pid_t tid, std::chrono::milliseconds limit);

  ~StoppedThread() { let_go(); }
  StoppedThread(StoppedThread&& other) noexcept
      : tid_(std::exchange(other.tid_, 0)), stopped_at_(other.stopped_at_) {}
  StoppedThread& operator=(StoppedThread&&) = delete;
  StoppedThread(const StoppedThread&) = delete;
  StoppedThread& operator=(const StoppedThread&) = delete;

  [[nodiscard]] std::optional<RawRegisters> read_registers() const;
  [[nodiscard]] bool write_registers(const RawRegisters& registers) const;
  // Also where the target itself may not write.
  [[nodiscard]] bool write_code(std::uint64_t address, std::span<const std::byte> code) const;

  // How long it was stopped; it runs again.
  std::chrono::nanoseconds let_go();

 private:
  StoppedThread(pid_t tid, std::chrono::steady_clock::time_point stopped_at)
      : tid_(tid), stopped_at_(stopped_at) {}

  pid_t tid_;
  std::chrono::steady_clock::time_point stopped_at_;
};

}  // namespace lowtide::attach
