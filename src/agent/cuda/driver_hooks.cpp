// The functions that callers get in place of the driver's. Each returns what the driver returned, and changes
// nothing that the driver has written.
//
// No HookScope around the driver's function: what it allocates on the host is the job's memory.

#include <cstddef>
#include <cstdint>

#include "agent/cuda/driver.h"
#include "agent/cuda/driver_blocks.h"
#include "agent/cuda/driver_report.h"

namespace lowtide::agent {
namespace {

using wire::Source;

std::uint64_t as_key(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// --- memory of a GPU
// -------------------------------------------------------------------------------------------

int mem_alloc(std::uint64_t* address, std::size_t bytes) {
  const int result = g_driver.mem_alloc(address, bytes);
  note_driver_block(result, result == 0 ? *address : 0, bytes, Source::CudaAlloc, current_device());
  return result;
}

int mem_alloc_pitch(std::uint64_t* address, std::size_t* pitch, std::size_t width, std::size_t height,
                    unsigned element_bytes) {
  const int result = g_driver.mem_alloc_pitch(address, pitch, width, height, element_bytes);
  note_driver_block(result, result == 0 ? *address : 0, result == 0 ? *pitch * height : 0, Source::CudaAlloc,
                    current_device());
  return result;
}

int mem_alloc_managed(std::uint64_t* address, std::size_t bytes, unsigned flags) {
  const int result = g_driver.mem_alloc_managed(address, bytes, flags);
  note_driver_block(result, result == 0 ? *address : 0, bytes, Source::CudaAlloc, current_device());
  return result;
}

int mem_free(std::uint64_t address) {
  DriverFree block(address);
  return block.ended(g_driver.mem_free(address));
}

// The beginning of cuda.h's CUmemAllocationProp.
struct Properties {
  int type;
  int requested_handle_types;
  int location_type;
  int location;
};

int mem_create(std::uint64_t* handle, std::size_t bytes, const void* properties, std::uint64_t flags) {
  const int result = g_driver.mem_create(handle, bytes, properties, flags);
  if (result != 0) {
    note_driver_block(result, 0, 0, Source::CudaCreate, 0);
    return result;
  }
  constexpr int kDevice = 1;  // the others are places of the host
  Properties wanted = {};
  __builtin_memcpy(&wanted, properties, sizeof(wanted));
  const bool is_on_gpu = wanted.location_type == kDevice;
  note_driver_block(result, key_of_handle(*handle), bytes, is_on_gpu ? Source::CudaCreate : Source::CudaHost,
                    is_on_gpu ? static_cast<std::uint16_t>(wanted.location) : std::uint16_t{0});
  return result;
}

int mem_release(std::uint64_t handle) {
  DriverFree block(key_of_handle(handle));
  return block.ended(g_driver.mem_release(handle));
}

template <int kind>
int mem_alloc_async(std::uint64_t* address, std::size_t bytes, void* stream) {
  const int result = g_driver.mem_alloc_async[kind](address, bytes, stream);
  note_driver_block(result, result == 0 ? *address : 0, bytes, Source::CudaAsync, current_device());
  return result;
}

template <int kind>
int mem_alloc_from_pool(std::uint64_t* address, std::size_t bytes, void* pool, void* stream) {
  const int result = g_driver.mem_alloc_from_pool[kind](address, bytes, pool, stream);
  note_driver_block(result, result == 0 ? *address : 0, bytes, Source::CudaAsync, current_device());
  return result;
}

template <int kind>
int mem_free_async(std::uint64_t address, void* stream) {
  DriverFree block(address);
  return block.ended(g_driver.mem_free_async[kind](address, stream));
}

// --- pinned memory of the host
// -----------------------------------------------------------------------------------

int mem_host_alloc(void** address, std::size_t bytes, unsigned flags) {
  const int result = g_driver.mem_host_alloc(address, bytes, flags);
  note_driver_block(result, result == 0 ? as_key(*address) : 0, bytes, Source::CudaHost, 0);
  return result;
}

int mem_alloc_host(void** address, std::size_t bytes) {
  const int result = g_driver.mem_alloc_host(address, bytes);
  note_driver_block(result, result == 0 ? as_key(*address) : 0, bytes, Source::CudaHost, 0);
  return result;
}

int mem_free_host(void* address) {
  DriverFree block(as_key(address));
  return block.ended(g_driver.mem_free_host(address));
}

int mem_host_register(void* address, std::size_t bytes, unsigned flags) {
  const int result = g_driver.mem_host_register(address, bytes, flags);
  note_driver_block(result, key_of_registered(address), bytes, Source::CudaRegister, 0);
  return result;
}

int mem_host_unregister(void* address) {
  DriverFree block(key_of_registered(address));
  return block.ended(g_driver.mem_host_unregister(address));
}

// --- what is counted only
// ----------------------------------------------------------------------------------------

int counted(int result, DriverCount what, std::int64_t by = 1) {
  if (result == 0) {
    count_driver(what, by);
  }
  return result;
}

int array_create(void** array, const void* description) {
  return counted(g_driver.array_create(array, description), DriverCount::Unsized);
}

int array_3d_create(void** array, const void* description) {
  return counted(g_driver.array_3d_create(array, description), DriverCount::Unsized);
}

int mipmapped_array_create(void** array, const void* description, unsigned levels) {
  return counted(g_driver.mipmapped_array_create(array, description, levels), DriverCount::Unsized);
}

int graph_add_mem_alloc_node(void** node, void* graph, const void* dependencies, std::size_t count,
                             void* parameters) {
  return counted(g_driver.graph_add_mem_alloc_node(node, graph, dependencies, count, parameters),
                 DriverCount::Unsized);
}

int module_load(void** module, const char* path) {
  return counted(g_driver.module_load(module, path), DriverCount::Modules);
}

int module_load_data(void** module, const void* image) {
  return counted(g_driver.module_load_data(module, image), DriverCount::Modules);
}

int module_load_data_ex(void** module, const void* image, unsigned count, int* options, void** values) {
  return counted(g_driver.module_load_data_ex(module, image, count, options, values), DriverCount::Modules);
}

int module_load_fat_binary(void** module, const void* image) {
  return counted(g_driver.module_load_fat_binary(module, image), DriverCount::Modules);
}

int module_unload(void* module) {
  return counted(g_driver.module_unload(module), DriverCount::Modules, -1);
}

int library_load_data(void** library, const void* code, int* jit_options, void** jit_values,
                      unsigned jit_count, int* options, void** values, unsigned count) {
  return counted(
      g_driver.library_load_data(library, code, jit_options, jit_values, jit_count, options, values, count),
      DriverCount::Modules);
}

int library_load_from_file(void** library, const char* path, int* jit_options, void** jit_values,
                           unsigned jit_count, int* options, void** values, unsigned count) {
  return counted(g_driver.library_load_from_file(library, path, jit_options, jit_values, jit_count, options,
                                                 values, count),
                 DriverCount::Modules);
}

int library_unload(void* library) {
  return counted(g_driver.library_unload(library), DriverCount::Modules, -1);
}

// Memory of another process, where it is counted.
template <int version>
int ipc_open(std::uint64_t* address, IpcHandle handle, unsigned flags) {
  return counted(g_driver.ipc_open[version](address, handle, flags), DriverCount::Imported);
}

int mem_import(std::uint64_t* handle, void* os_handle, int type) {
  return counted(g_driver.mem_import(handle, os_handle, type), DriverCount::Imported);
}

// --- lookups
// -----------------------------------------------------------------------------------------------------

int looked_up(int result, void** found, const char* name) {
  if (result == 0 && found != nullptr) {
    *found = driver_stand_in_for(*found, name);
  }
  return result;
}

int get_proc_address(const char* name, void** found, int version, std::uint64_t flags) {
  return looked_up(g_driver.get_proc_address(name, found, version, flags), found, name);
}

int get_proc_address_2(const char* name, void** found, int version, std::uint64_t flags, int* status) {
  return looked_up(g_driver.get_proc_address_2(name, found, version, flags, status), found, name);
}

template <typename Function>
DriverHook hook(const char* name, Function* ours, Function*& real) {
  return {name, reinterpret_cast<void*>(ours), &real};
}

}  // namespace

void list_driver_hooks(DriverHook (&into)[kDriverHooks]) {
  DriverFunctions& real = g_driver;
  const DriverHook hooks[] = {
      hook("cuMemAlloc_v2", mem_alloc, real.mem_alloc),
      hook("cuMemAllocPitch_v2", mem_alloc_pitch, real.mem_alloc_pitch),
      hook("cuMemAllocManaged", mem_alloc_managed, real.mem_alloc_managed),
      hook("cuMemFree_v2", mem_free, real.mem_free),
      hook("cuMemCreate", mem_create, real.mem_create),
      hook("cuMemRelease", mem_release, real.mem_release),
      hook("cuMemAllocAsync", mem_alloc_async<0>, real.mem_alloc_async[0]),
      hook("cuMemAllocAsync_ptsz", mem_alloc_async<1>, real.mem_alloc_async[1]),
      hook("cuMemAllocFromPoolAsync", mem_alloc_from_pool<0>, real.mem_alloc_from_pool[0]),
      hook("cuMemAllocFromPoolAsync_ptsz", mem_alloc_from_pool<1>, real.mem_alloc_from_pool[1]),
      hook("cuMemFreeAsync", mem_free_async<0>, real.mem_free_async[0]),
      hook("cuMemFreeAsync_ptsz", mem_free_async<1>, real.mem_free_async[1]),
      hook("cuMemHostAlloc", mem_host_alloc, real.mem_host_alloc),
      hook("cuMemAllocHost_v2", mem_alloc_host, real.mem_alloc_host),
      hook("cuMemFreeHost", mem_free_host, real.mem_free_host),
      hook("cuMemHostRegister_v2", mem_host_register, real.mem_host_register),
      hook("cuMemHostUnregister", mem_host_unregister, real.mem_host_unregister),
      hook("cuArrayCreate_v2", array_create, real.array_create),
      hook("cuArray3DCreate_v2", array_3d_create, real.array_3d_create),
      hook("cuMipmappedArrayCreate", mipmapped_array_create, real.mipmapped_array_create),
      hook("cuModuleLoad", module_load, real.module_load),
      hook("cuModuleLoadData", module_load_data, real.module_load_data),
      hook("cuModuleLoadDataEx", module_load_data_ex, real.module_load_data_ex),
      hook("cuModuleLoadFatBinary", module_load_fat_binary, real.module_load_fat_binary),
      hook("cuModuleUnload", module_unload, real.module_unload),
      hook("cuLibraryLoadData", library_load_data, real.library_load_data),
      hook("cuLibraryLoadFromFile", library_load_from_file, real.library_load_from_file),
      hook("cuLibraryUnload", library_unload, real.library_unload),
      hook("cuGraphAddMemAllocNode", graph_add_mem_alloc_node, real.graph_add_mem_alloc_node),
      hook("cuIpcOpenMemHandle", ipc_open<0>, real.ipc_open[0]),
      hook("cuIpcOpenMemHandle_v2", ipc_open<1>, real.ipc_open[1]),
      hook("cuMemImportFromShareableHandle", mem_import, real.mem_import),
      hook("cuGetProcAddress", get_proc_address, real.get_proc_address),
      hook("cuGetProcAddress_v2", get_proc_address_2, real.get_proc_address_2),
  };
  static_assert(sizeof(hooks) == sizeof(into));
  __builtin_memcpy(into, hooks, sizeof(hooks));
}

}  // namespace lowtide::agent
