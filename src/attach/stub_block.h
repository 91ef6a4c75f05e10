// The arguments of the stub (attach/stub.h), and its answer. Includes nothing of the
// standard library: the stub is compiled without floating point.

#pragma once

#include <sys/un.h>

#include <cstddef>
#include <cstdint>

namespace lowtide::attach {

inline constexpr std::size_t kMostPathBytes = 1024;
inline constexpr std::size_t kMostReasonBytes = 256;
// Addresses are the target's. The entry code knows where `state_bytes` is.
struct StubBlock {
  std::uint64_t state_bytes;     // what XSAVE writes on this machine
  std::uint64_t token;           // of the report
  std::uint64_t open_library;    // dlopen
  std::uint64_t last_error;      // dlerror
  std::uint64_t errno_location;  // __errno_location
  std::uint64_t create_thread;   // pthread_create; 0: the borrowed thread does it all
  std::uint64_t detach_thread;   // pthread_detach
  std::uint64_t this_thread;     // pthread_self
  std::uint64_t work;            // lowtide_stub_work, where it lies in the target
  std::uint64_t find_function;   // dlsym
  std::uint64_t report_to_bytes;
  sockaddr_un report_to;
  char unused[2];
  char library[kMostPathBytes];
  char argument[sizeof(sockaddr_un::sun_path) + 4];
  char thread_name[24];
  char function[32];  // of the library
};
inline constexpr std::size_t kStubBlockBytes = 1392;
static_assert(sizeof(StubBlock) == kStubBlockBytes && kStubBlockBytes % 16 == 0);

enum class StubStage : std::uint32_t {
  Done = 1,       // value: what the function returned
  NoMemory = 2,   // value: errno
  NoThread = 3,   // value: errno
  NoLibrary = 4,  // reason: the loader's words
  Returned = 5,   // the borrowed thread goes back; the work is done by the new one
};

struct StubReport {
  std::uint64_t token;
  StubStage stage;
  std::int32_t value;
  std::uint64_t began_ns;  // CLOCK_MONOTONIC: when the work began, and when it was done
  std::uint64_t ended_ns;
  char reason[kMostReasonBytes];
};
static_assert(sizeof(StubReport) == 288);

}  // namespace lowtide::attach
