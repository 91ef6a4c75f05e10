// The part of NVML's C interface that we call, declared here so that neither
// its header nor the driver is needed to build. The layouts are those of
// nvml.h and may not change: the driver's promise is that a function keeps its
// meaning and a new meaning gets a new suffix (_v2, _v3).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace lowtide::gpu {

using DeviceHandle = void*;

struct MemoryV1 {
  unsigned long long total_bytes;
  unsigned long long free_bytes;
  unsigned long long used_bytes;  // what the driver reserves for itself included
};

struct MemoryV2 {
  unsigned int version;
  unsigned long long total_bytes;
  unsigned long long reserved_bytes;
  unsigned long long free_bytes;
  unsigned long long used_bytes;  // without the reserve
};
static_assert(sizeof(MemoryV2) == 40);
inline constexpr unsigned int kMemoryV2 = static_cast<unsigned int>(sizeof(MemoryV2)) | (2U << 24U);

struct ProcessV1 {
  unsigned int pid;
  unsigned long long used_bytes;
};
static_assert(sizeof(ProcessV1) == 16);

// Of the functions with suffix _v2 and _v3.
struct ProcessV2 {
  unsigned int pid;
  unsigned long long used_bytes;
  unsigned int gpu_instance;
  unsigned int compute_instance;
};
static_assert(sizeof(ProcessV2) == 24);

inline constexpr unsigned long long kBytesNotAvailable = ~0ULL;

inline constexpr int kSuccess = 0;
inline constexpr int kInsufficientSize = 7;

using ListProcessesV1 = int (*)(DeviceHandle, unsigned int*, ProcessV1*);
using ListProcessesV2 = int (*)(DeviceHandle, unsigned int*, ProcessV2*);

struct Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;            // may be absent
  int (*driver_version)(char*, unsigned int) = nullptr;  // may be absent
  int (*device_count)(unsigned int*) = nullptr;
  int (*device_by_index)(unsigned int, DeviceHandle*) = nullptr;
  int (*device_name)(DeviceHandle, char*, unsigned int) = nullptr;  // may be absent
  int (*device_uuid)(DeviceHandle, char*, unsigned int) = nullptr;  // may be absent
  int (*memory_v1)(DeviceHandle, MemoryV1*) = nullptr;
  int (*memory_v2)(DeviceHandle, MemoryV2*) = nullptr;  // may be absent
  // Of each pair the newer one that is there; none of both: not known.
  ListProcessesV2 compute_v2 = nullptr;
  ListProcessesV1 compute_v1 = nullptr;
  ListProcessesV2 graphics_v2 = nullptr;
  ListProcessesV1 graphics_v1 = nullptr;
};

// Opens the library and finds the functions. It stays open for the life of the
// program: NVML starts threads of its own, which unloading would pull the code from.
base::Result<Functions> load_functions(const std::string& library);

}  // namespace lowtide::gpu
