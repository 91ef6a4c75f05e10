// What is read of GPUs, independent of the library of the driver that reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::gpu {

struct Device {
  int index = 0;
  std::string name;  // "NVIDIA H200"
  std::string uuid;
};

struct GpuProcess {
  std::int64_t driver_pid = 0;  // as the driver names it, see pid_map.h
  std::uint64_t bytes = 0;
  bool bytes_known = false;  // false under MIG and in some containers
};

struct GpuReading {
  int index = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::vector<GpuProcess> processes;  // each pid once: compute and graphics together
  bool processes_known = false;       // false if the driver does not list them
};

}  // namespace lowtide::gpu
