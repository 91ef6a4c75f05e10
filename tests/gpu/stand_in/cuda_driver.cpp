// A libcuda for machines without a GPU: the functions of the driver that the agent calls, as cuda.h declares
// them. The process was given two GPUs in the reverse of the driver's order, as with
// CUDA_VISIBLE_DEVICES=1,0.
#include <cstddef>
#include <cstring>

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
extern "C" {

int cuDeviceGet(int* device, int ordinal) {
  constexpr int kInvalidDevice = 101;
  *device = ordinal;
  return ordinal >= 0 && ordinal < 2 ? 0 : kInvalidDevice;
}

int cuDeviceGetUuid(char (*uuid)[16], int device) {
  std::memset(*uuid, 0, sizeof(*uuid));
  (*uuid)[0] = static_cast<char>(2 - device);
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int /*device*/) {
  *bytes = std::size_t{80} << 30U;
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
