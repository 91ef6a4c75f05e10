// Which GPU a number of CUDA stands for in this process.
//
// CUDA numbers the GPUs that the process was given (CUDA_VISIBLE_DEVICES), in an order of its own. The
// driver's management library, which the monitor reads, numbers all of them. The UUID is the same for both.

#pragma once

#include <cstdint>

namespace lowtide::agent {

struct CudaDevice {
  std::uint64_t total_bytes;  // 0: the driver did not answer
  std::uint64_t uuid[2];      // its 16 bytes
};

// Asks the driver's library that the process has loaded. Only after CUDA is initialised in this process:
// these functions make no context and take no memory.
CudaDevice find_cuda_device(int number);

}  // namespace lowtide::agent
