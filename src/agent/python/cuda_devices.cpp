#include "agent/python/cuda_devices.h"

#include <link.h>

#include "agent/heap/elf_lookup.h"
#include "agent/heap/text.h"

namespace lowtide::agent {
namespace {

// As cuda.h declares them. Each has had this signature since CUDA 9.2, and a new signature gets a new name.
struct DriverCalls {
  int (*get)(int* device, int number);  // cuDeviceGet
  int (*uuid)(std::uint64_t (*into)[2],
              int device);                       // cuDeviceGetUuid: of the whole GPU, also for a MIG slice
  int (*total)(std::size_t* bytes, int device);  // cuDeviceTotalMem_v2: of the slice
};

int look_for_driver(dl_phdr_info* object, std::size_t /*bytes*/, void* into) {
  auto* const calls = static_cast<DriverCalls*>(into);
  if (!contains(object->dlpi_name, "libcuda.so")) {
    return 0;
  }
  struct Wanted {
    const char* name;
    void* into;
  };
  const Wanted wanted[] = {{"cuDeviceGet", &calls->get},
                           {"cuDeviceGetUuid", &calls->uuid},
                           {"cuDeviceTotalMem_v2", &calls->total}};
  for (const Wanted& function : wanted) {
    void* const found = find_symbol(*object, function.name);
    __builtin_memcpy(function.into, &found, sizeof(found));
  }
  return 1;
}

}  // namespace

CudaDevice find_cuda_device(int number) {
  DriverCalls calls = {};
  dl_iterate_phdr(look_for_driver, &calls);
  CudaDevice out = {};
  int device = 0;
  std::size_t total = 0;
  if (calls.get == nullptr || calls.uuid == nullptr || calls.total == nullptr ||
      calls.get(&device, number) != 0 || calls.uuid(&out.uuid, device) != 0 ||
      calls.total(&total, device) != 0) {
    return {};
  }
  out.total_bytes = total;
  return out;
}

}  // namespace lowtide::agent
