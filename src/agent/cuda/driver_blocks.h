// Blocks of memory that the CUDA driver has handed out: each is a sample of its own, since a call of the
// driver takes a hundred times as long as the record. Only where there are more than a few hundred per
// second, and for memory from the driver's pools, are they sampled by their size.

#pragma once

#include <cstdint>

#include "agent/heap/sample.h"
#include "wire/layout.h"

namespace lowtide::agent {

// One number for each block, whatever it is: addresses, handles and registered memory must not be confused.
inline std::uint64_t key_of_handle(std::uint64_t handle) {
  return handle ^ (1ULL << 62U);
}
inline std::uint64_t key_of_registered(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) | 1U;
}

// The driver has returned `result`; 0: the block is there.
void note_driver_block(int result, std::uint64_t key, std::uint64_t bytes, wire::Source source,
                       std::uint16_t device);

// For tests: so many samples per second at most; 0: as it is.
void set_driver_pace(std::uint64_t samples_per_second);

// The GPU of the thread's context, as CUDA numbers it in this process; 0 where there is none.
std::uint16_t current_device();

// Around a call that frees a block.
class DriverFree {
 public:
  // NOLINTNEXTLINE(performance-no-int-to-ptr): keys are used as addresses are
  explicit DriverFree(std::uint64_t key) : moving_(reinterpret_cast<void*>(key)) {}

  int ended(int result) {
    result == 0 ? moving_.succeeded() : moving_.failed();
    return result;
  }

 private:
  Moving moving_;
};

}  // namespace lowtide::agent
