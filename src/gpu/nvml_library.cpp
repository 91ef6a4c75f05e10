#include "gpu/nvml_library.h"

#include <dlfcn.h>

#include <initializer_list>

namespace lowtide::gpu {
namespace {

#ifndef LOWTIDE_STATIC
// The first of the names that the library has.
template <typename Function>
void find_function(void* handle, std::initializer_list<const char*> names, Function& into) {
  for (const char* name : names) {
    into = reinterpret_cast<Function>(::dlsym(handle, name));
    if (into != nullptr) {
      return;
    }
  }
}

Functions find_functions(void* handle) {
  Functions found;
  find_function(handle, {"nvmlInit_v2", "nvmlInit"}, found.init);
  find_function(handle, {"nvmlShutdown"}, found.shutdown);
  find_function(handle, {"nvmlErrorString"}, found.error_string);
  find_function(handle, {"nvmlSystemGetDriverVersion"}, found.driver_version);
  find_function(handle, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}, found.device_count);
  find_function(handle, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"},
                found.device_by_index);
  find_function(handle, {"nvmlDeviceGetName"}, found.device_name);
  find_function(handle, {"nvmlDeviceGetUUID"}, found.device_uuid);
  find_function(handle, {"nvmlDeviceGetMemoryInfo"}, found.memory_v1);
  find_function(handle, {"nvmlDeviceGetMemoryInfo_v2"}, found.memory_v2);
  find_function(handle,
                {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"},
                found.compute_v2);
  find_function(handle, {"nvmlDeviceGetComputeRunningProcesses"}, found.compute_v1);
  find_function(handle,
                {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"},
                found.graphics_v2);
  find_function(handle, {"nvmlDeviceGetGraphicsRunningProcesses"}, found.graphics_v1);
  return found;
}
#endif

}  // namespace

base::Result<Functions> load_functions(const std::string& library) {
#ifdef LOWTIDE_STATIC
  return base::Error{base::ErrorCode::Unsupported,
                     "this lowtide is statically linked and cannot load " + library};
#else
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return base::Error{base::ErrorCode::Unsupported,
                       "no NVIDIA driver was found: " + std::string(reason != nullptr ? reason : library)};
  }
  const Functions found = find_functions(handle);
  const bool complete = found.init != nullptr && found.shutdown != nullptr && found.device_count != nullptr &&
                        found.device_by_index != nullptr && found.memory_v1 != nullptr;
  if (!complete) {
    return base::Error{base::ErrorCode::Unsupported, library + " lacks functions of NVML"};
  }
  return found;
#endif
}

}  // namespace lowtide::gpu
