// Puts the agent into a process that runs, and takes its hooks out again.
//
// How: attach/stub.h. One thread is stopped for some tens of microseconds, at a place
// that attach/safe_place.h has found harmless; everything is bounded in time; and at no
// moment does the target depend on us being alive.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace lowtide::attach {

struct InjectOptions {
  std::string agent_path;  // absolute, as the target sees it
  // Where the agent says hello; absolute, as the target sees it, in a folder that is made
  // for this. Where the target belongs to another user, folder and socket are given to him.
  std::string socket_path;
  // Set where the target has another file system: a path by which we reach the folder of the socket. The file
  // of the agent is in that folder too.
  std::string folder_from_here = {};
  std::chrono::milliseconds place_limit{10000};   // to find a thread at a safe place
  std::chrono::milliseconds answer_limit{10000};  // for the call, once it was placed
};

struct Injected {
  pid_t borrowed_tid = 0;
  std::uint32_t tries = 0;
  std::chrono::nanoseconds longest_stop{};  // of any thread, by ptrace
  std::chrono::nanoseconds last_stop{};
  std::chrono::nanoseconds pause{};  // of the borrowed thread: stopped, and in the stub
  std::chrono::nanoseconds work{};   // of dlopen and the agent's function
  bool in_own_thread = false;        // false: the work was done in the borrowed thread
  std::int32_t result = 0;           // what the agent's function returned: wire::StartResult
  std::chrono::microseconds pause_of_python{};
};

// Loads the agent, which hooks in and says hello. Denied: no right to. Unsupported: not
// possible in this process, and why. Gone: the process ended. Io: no safe place in time,
// or no answer.
base::Result<Injected> inject_agent(pid_t pid, const InjectOptions& options);

// Takes the hooks out; the library itself stays.
base::Result<Injected> retire_agent(pid_t pid, const InjectOptions& options);

// What a walk over the Python objects may take.
struct WalkLimits {
  std::chrono::milliseconds to_begin{5000};  // until the interpreter is available
  std::chrono::milliseconds to_end{60000};
  std::uint64_t memory_mb = 4096;  // of the child, for its tables
};

struct Entry {
  base::Result<Injected> outcome;
  bool was_entered = false;  // the agent was called, whatever came of it: another way in would not do better
};

// Forks the process and lets the child walk, which says what it found at the socket. In the
// answer, `pause_of_python` is how long the interpreter stood still.
Entry begin_snapshot(pid_t pid, const InjectOptions& options, const WalkLimits& limits);

// Reaps the child that has walked. Where that fails it stays a zombie, which the next snapshot reaps.
void end_snapshot(pid_t pid, const InjectOptions& options);

// Whether the target would open another file by this name than lowtide, or none, as in a container. False
// where that cannot be known.
bool sees_another(pid_t pid, const std::string& path);

// The second and third line of an error: why on this machine, and what to try.
struct Advice {
  std::string why;
  std::string hint;
};
Advice advise(pid_t pid, const base::Error& error);

}  // namespace lowtide::attach
