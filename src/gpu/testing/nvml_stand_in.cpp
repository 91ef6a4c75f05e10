// A libnvidia-ml for machines without a GPU: the functions of NVML that lowtide
// calls, with answers that the tests know. LOWTIDE_STAND_IN_OLD leaves out what
// old drivers do not have. What happens is chosen by NVML_STAND_IN:
//   (unset) two devices   no-driver: init fails   lost: device 1 fell off the bus
//   crowd: 100 processes  none: no device
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "gpu/nvml_library.h"

namespace {

using lowtide::gpu::DeviceHandle;
using lowtide::gpu::MemoryV1;
using lowtide::gpu::ProcessV1;

constexpr int kDriverNotLoaded = 9;
constexpr int kGpuIsLost = 15;
constexpr unsigned long long kGiB = 1ULL << 30U;

bool plays(std::string_view part) {
  const char* role = std::getenv("NVML_STAND_IN");
  return role != nullptr && part == role;
}

int devices[2] = {0, 1};
int index_of(DeviceHandle device) {
  return *static_cast<int*>(device);
}

int copy_text(const char* text, char* into, unsigned int length) {
  std::snprintf(into, length, "%s", text);
  return 0;
}

template <typename Process>
int list(unsigned int count, const unsigned int* pids, const unsigned long long* bytes, unsigned int* room,
         Process* into) {
  const bool fits = *room >= count;
  *room = count;
  if (!fits) {
    return lowtide::gpu::kInsufficientSize;
  }
  for (unsigned int at = 0; at < count; ++at) {
    into[at] = {};
    into[at].pid = pids[at];
    into[at].used_bytes = bytes[at];
  }
  return 0;
}

template <typename Process>
int list_compute(DeviceHandle device, unsigned int* room, Process* into) {
  static const unsigned int kPids[] = {4711, 4712};
  static const unsigned long long kBytes[] = {3 * kGiB, lowtide::gpu::kBytesNotAvailable};
  if (plays("crowd")) {
    static unsigned int crowd_pids[100];
    static unsigned long long crowd_bytes[100];
    for (unsigned int at = 0; at < 100; ++at) {
      crowd_pids[at] = 1000 + at;
      crowd_bytes[at] = at;
    }
    return list(100, crowd_pids, crowd_bytes, room, into);
  }
  return list(index_of(device) == 0 ? 2 : 0, kPids, kBytes, room, into);
}

template <typename Process>
int list_graphics(DeviceHandle device, unsigned int* room, Process* into) {
  static const unsigned int kPids[] = {4711, 900};
  static const unsigned long long kBytes[] = {3 * kGiB, kGiB / 4};
  return list(index_of(device) == 0 ? 2 : 0, kPids, kBytes, room, into);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): NVML's names
extern "C" {
int nvmlInit_v2() {
  return plays("no-driver") ? kDriverNotLoaded : 0;
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int status) {
  return status == kDriverNotLoaded ? "Driver Not Loaded" : "Other";
}
int nvmlSystemGetDriverVersion(char* into, unsigned int length) {
  return copy_text("570.1", into, length);
}
int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = plays("none") ? 0 : 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, DeviceHandle* device) {
  *device = &devices[index];
  return 0;
}
int nvmlDeviceGetName(DeviceHandle, char* into, unsigned int length) {
  return copy_text("Stand-in 80GB", into, length);
}
int nvmlDeviceGetUUID(DeviceHandle device, char* into, unsigned int length) {
  return copy_text(index_of(device) == 0 ? "GPU-01000000-0000-0000-0000-000000000000"
                                         : "GPU-02000000-0000-0000-0000-000000000000",
                   into, length);
}
int nvmlDeviceGetMemoryInfo(DeviceHandle device, MemoryV1* memory) {
  if (plays("lost") && index_of(device) == 1) {
    return kGpuIsLost;
  }
  *memory = {80 * kGiB, 75 * kGiB, 5 * kGiB};
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses(DeviceHandle device, unsigned int* room, ProcessV1* into) {
  return list_compute(device, room, into);
}
int nvmlDeviceGetGraphicsRunningProcesses(DeviceHandle device, unsigned int* room, ProcessV1* into) {
  return list_graphics(device, room, into);
}
#ifndef LOWTIDE_STAND_IN_OLD
int nvmlDeviceGetMemoryInfo_v2(DeviceHandle device, lowtide::gpu::MemoryV2* memory) {
  if (memory->version != lowtide::gpu::kMemoryV2 || (plays("lost") && index_of(device) == 1)) {
    return kGpuIsLost;
  }
  *memory = {memory->version, 80 * kGiB, kGiB, 75 * kGiB, 4 * kGiB};
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(DeviceHandle device, unsigned int* room,
                                            lowtide::gpu::ProcessV2* into) {
  return list_compute(device, room, into);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(DeviceHandle device, unsigned int* room,
                                             lowtide::gpu::ProcessV2* into) {
  return list_graphics(device, room, into);
}
#endif
}
// NOLINTEND(readability-identifier-naming)
