#include "attach/stopped_thread.h"

#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include "base/fd.h"
#include "procfs/text_file.h"

namespace lowtide::attach {
namespace {

using Clock = std::chrono::steady_clock;

base::Error about(pid_t tid, base::ErrorCode code, const std::string& what) {
  return {code, "thread " + std::to_string(tid) + " " + what};
}

long trace(int request, pid_t tid, std::uint64_t address, std::uint64_t data) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg,performance-no-int-to-ptr): as the C library declares it
  return ::ptrace(static_cast<__ptrace_request>(request), tid, address, data);
}

// Only what this thread traces, and never a child of lowtide.
pid_t wait_for(pid_t tid, int& status) {
  return ::waitpid(tid, &status, __WALL | __WNOTHREAD | WNOHANG);
}

// A thread that runs is stopped within microseconds, so we do not sleep at first.
void pause_between_checks(Clock::duration waited) {
  if (waited < std::chrono::milliseconds(1)) {
    ::sched_yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

bool is_job_control(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

}  // namespace

base::Result<StoppedThread> StoppedThread::stop(pid_t tid, std::chrono::milliseconds limit) {
  if (trace(PTRACE_SEIZE, tid, 0, 0) != 0) {
    return procfs::make_system_error(errno, "ptrace thread " + std::to_string(tid));
  }
  const auto asked_at = Clock::now();
  if (trace(PTRACE_INTERRUPT, tid, 0, 0) != 0) {
    return procfs::make_system_error(errno, "interrupt thread " + std::to_string(tid));
  }
  for (;;) {
    int status = 0;
    const pid_t who = wait_for(tid, status);
    if (who < 0 || (who == tid && !WIFSTOPPED(status))) {
      return about(tid, base::ErrorCode::Gone, "ended");
    }
    const auto now = Clock::now();
    if (who == tid) {
      const int signal = WSTOPSIG(status);
      if ((status >> 16) == PTRACE_EVENT_STOP) {
        StoppedThread stopped(tid, now);
        if (is_job_control(signal)) {
          return about(tid, base::ErrorCode::Unsupported, "is stopped by a signal");
        }
        return stopped;
      }
      // A signal that came before us: it is the target's, and is handed on.
      trace(PTRACE_CONT, tid, 0, (status >> 16) == 0 ? static_cast<std::uint64_t>(signal) : 0);
      continue;
    }
    if (now - asked_at > limit) {
      return about(tid, base::ErrorCode::Io, "did not stop");
    }
    pause_between_checks(now - asked_at);
  }
}

std::optional<RawRegisters> StoppedThread::read_registers() const {
  RawRegisters registers{};
  iovec part{&registers, sizeof(registers)};
  if (trace(PTRACE_GETREGSET, tid_, NT_PRSTATUS, reinterpret_cast<std::uint64_t>(&part)) != 0 ||
      part.iov_len != sizeof(registers)) {
    return std::nullopt;  // gone, or a thread of 32 bits
  }
  return registers;
}

bool StoppedThread::write_registers(const RawRegisters& registers) const {
  RawRegisters copy = registers;
  iovec part{&copy, sizeof(copy)};
  return trace(PTRACE_SETREGSET, tid_, NT_PRSTATUS, reinterpret_cast<std::uint64_t>(&part)) == 0;
}

bool StoppedThread::write_code(std::uint64_t address, std::span<const std::byte> code) const {
  // In one go; some kernels are built without the right to.
  const base::Fd memory(::open(("/proc/" + std::to_string(tid_) + "/mem").c_str(), O_WRONLY | O_CLOEXEC));
  if (memory.valid() && ::pwrite(memory.get(), code.data(), code.size(), static_cast<off_t>(address)) ==
                            static_cast<ssize_t>(code.size())) {
    return true;
  }
  for (std::size_t at = 0; at < code.size(); at += sizeof(std::uint64_t)) {
    std::array<std::byte, sizeof(std::uint64_t)> bytes{};
    std::memcpy(bytes.data(), code.data() + at, std::min(bytes.size(), code.size() - at));
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    if (trace(PTRACE_POKEDATA, tid_, address + at, word) != 0) {
      return false;
    }
  }
  return true;
}

std::chrono::nanoseconds StoppedThread::let_go() {
  const pid_t tid = std::exchange(tid_, 0);
  if (tid == 0) {
    return {};
  }
  const auto paused = Clock::now() - stopped_at_;
  trace(PTRACE_DETACH, tid, 0, 0);
  return paused;
}

}  // namespace lowtide::attach
