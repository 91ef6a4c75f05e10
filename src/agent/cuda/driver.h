// Stands in front of the functions of the CUDA driver that allocate.
//
// Nobody is linked to the driver: libcudart, NCCL, torch, Triton and JAX ask for its functions by name, with
// dlsym or with the driver's own cuGetProcAddress. What they get is looked up by its address among the
// exported functions of the driver whose declarations are known here. Where it is one of them, they get ours.
// An unknown address is passed on, so a new version of a function is never called with the wrong arguments;
// its name is reported.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wire/layout.h"

namespace lowtide::agent {

// Passed by value.
struct IpcHandle {
  char bytes[64];
};

// As cuda.h declares them: a CUdeviceptr, a handle and a flag word of 64 bits are std::uint64_t, every
// pointer to a type of CUDA is void*, an enum and a CUresult are int. Null where the driver does not have it.
struct DriverFunctions {
  int (*mem_alloc)(std::uint64_t* address, std::size_t bytes);
  int (*mem_alloc_pitch)(std::uint64_t* address, std::size_t* pitch, std::size_t width, std::size_t height,
                         unsigned element_bytes);
  int (*mem_alloc_managed)(std::uint64_t* address, std::size_t bytes, unsigned flags);
  int (*mem_free)(std::uint64_t address);
  int (*mem_create)(std::uint64_t* handle, std::size_t bytes, const void* properties, std::uint64_t flags);
  int (*mem_release)(std::uint64_t handle);
  // The second of each is for callers that have a default stream per thread.
  int (*mem_alloc_async[2])(std::uint64_t* address, std::size_t bytes, void* stream);
  int (*mem_alloc_from_pool[2])(std::uint64_t* address, std::size_t bytes, void* pool, void* stream);
  int (*mem_free_async[2])(std::uint64_t address, void* stream);
  int (*mem_host_alloc)(void** address, std::size_t bytes, unsigned flags);
  int (*mem_alloc_host)(void** address, std::size_t bytes);
  int (*mem_free_host)(void* address);
  int (*mem_host_register)(void* address, std::size_t bytes, unsigned flags);
  int (*mem_host_unregister)(void* address);
  int (*array_create)(void** array, const void* description);
  int (*array_3d_create)(void** array, const void* description);
  int (*mipmapped_array_create)(void** array, const void* description, unsigned levels);
  int (*module_load)(void** module, const char* path);
  int (*module_load_data)(void** module, const void* image);
  int (*module_load_data_ex)(void** module, const void* image, unsigned count, int* options, void** values);
  int (*module_load_fat_binary)(void** module, const void* image);
  int (*module_unload)(void* module);
  int (*library_load_data)(void** library, const void* code, int* jit_options, void** jit_values,
                           unsigned jit_count, int* options, void** values, unsigned count);
  int (*library_load_from_file)(void** library, const char* path, int* jit_options, void** jit_values,
                                unsigned jit_count, int* options, void** values, unsigned count);
  int (*library_unload)(void* library);
  int (*graph_add_mem_alloc_node)(void** node, void* graph, const void* dependencies, std::size_t count,
                                  void* parameters);
  int (*ipc_open[2])(std::uint64_t* address, IpcHandle handle, unsigned flags);  // by version
  int (*mem_import)(std::uint64_t* handle, void* os_handle, int type);
  int (*get_proc_address)(const char* name, void** found, int version, std::uint64_t flags);
  int (*get_proc_address_2)(const char* name, void** found, int version, std::uint64_t flags, int* status);
  int (*context_device)(int* device);  // called by us only
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit DriverFunctions g_driver;

// A function of the agent, and where the one is that it passes calls on to.
struct DriverHook {
  const char* name;
  void* ours;
  void* real;  // a member of DriverFunctions
};

inline constexpr std::size_t kDriverHooks = 34;

// Of driver_hooks.cpp.
void list_driver_hooks(DriverHook (&into)[kDriverHooks]);

// A name of the driver begins so, one of the CUDA runtime or of a library does not.
inline bool is_driver_name(const char* name) {
  return name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
}

// What somebody gets who asked for `name` and found `found`.
void* driver_stand_in_for(void* found, const char* name);

// In a process that is entered while it runs: where the driver is loaded already, its functions may be in
// use.
void leave_loaded_driver();

wire::DriverState driver_state();

}  // namespace lowtide::agent
