// Memory of the stand-in for libcuda: it keeps books instead of memory, and refuses what the real one
// refuses.
//
// Every function is declared as in cuda.h. cuMemAlloc_v3 does not exist there: it stands for a version that
// comes one day with other arguments.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNotFound = 500;
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30U;
constexpr std::uint64_t kPage = std::uint64_t{2} << 20U;

struct Books {
  std::mutex mutex{};
  std::map<std::uint64_t, std::uint64_t> blocks{};      // of the GPU, by address or handle
  std::map<std::uint64_t, std::uint64_t> host{};        // pinned
  std::map<std::uint64_t, std::uint64_t> registered{};  // pinned later
  std::uint64_t bytes = 0;                              // on the GPU
  std::uint64_t next_address = std::uint64_t{0x7e0000000000};
  std::uint64_t next_handle = 1;
};

Books& books() {
  static Books* const all = new Books;  // never destroyed: threads may run at the end
  return *all;
}

int take(std::uint64_t* key, std::uint64_t bytes, bool is_handle) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  if (key == nullptr || bytes == 0) return kInvalidValue;
  if (bytes > kMostBytes - all.bytes) return kOutOfMemory;
  *key = is_handle ? all.next_handle : all.next_address;
  all.next_handle += is_handle ? 1 : 0;
  all.next_address += is_handle ? 0 : (bytes + kPage - 1) / kPage * kPage;
  all.blocks[*key] = bytes;
  all.bytes += bytes;
  return 0;
}

int give(std::uint64_t key) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  const auto found = all.blocks.find(key);
  if (found == all.blocks.end()) return kInvalidValue;
  all.bytes -= found->second;
  all.blocks.erase(found);
  return 0;
}

int take_host(void** address, std::size_t bytes) {
  if (address == nullptr || bytes == 0) return kInvalidValue;
  if (bytes > kMostBytes) return kOutOfMemory;
  *address = std::malloc(bytes);  // NOLINT(cppcoreguidelines-no-malloc): handed out as such
  const std::lock_guard lock(books().mutex);
  books().host[reinterpret_cast<std::uintptr_t>(*address)] = bytes;
  return 0;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
extern "C" {

struct CUipcMemHandle {
  char reserved[64];
};

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  return take(address, bytes, false);
}
// With 32 bits, as before CUDA 3.2.
int cuMemAlloc(unsigned* address, unsigned bytes) {
  *address = 77;
  return bytes == 0 ? kInvalidValue : 0;
}
int cuMemAlloc_v3(const char* options, std::uint64_t* address, std::size_t bytes) {
  return std::strcmp(options, "third") == 0 ? take(address, bytes, false) : kInvalidValue;
}
int cuMemAllocPitch_v2(std::uint64_t* address, std::size_t* pitch, std::size_t width, std::size_t height,
                       unsigned element_bytes) {
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return kInvalidValue;
  *pitch = (width + 511) / 512 * 512;
  return take(address, *pitch * height, false);
}
int cuMemAllocManaged(std::uint64_t* address, std::size_t bytes, unsigned flags) {
  return flags == 1 || flags == 2 ? take(address, bytes, false) : kInvalidValue;
}
int cuMemFree_v2(std::uint64_t address) {
  return address == 0 ? 0 : give(address);
}
int cuMemCreate(std::uint64_t* handle, std::size_t bytes, const void* properties, unsigned long long flags) {
  if (flags != 0 || properties == nullptr || bytes % kPage != 0) return kInvalidValue;
  return take(handle, bytes, true);
}
int cuMemRelease(unsigned long long handle) {
  return give(handle);
}
int cuMemAllocAsync(std::uint64_t* address, std::size_t bytes, void* /*stream*/) {
  return take(address, bytes, false);
}
int cuMemAllocAsync_ptsz(std::uint64_t* address, std::size_t bytes, void* /*stream*/) {
  return take(address, bytes, false);
}
int cuMemAllocFromPoolAsync(std::uint64_t* address, std::size_t bytes, void* pool, void* /*stream*/) {
  return pool == nullptr ? kInvalidValue : take(address, bytes, false);
}
int cuMemAllocFromPoolAsync_ptsz(std::uint64_t* address, std::size_t bytes, void* pool, void* /*stream*/) {
  return pool == nullptr ? kInvalidValue : take(address, bytes, false);
}
int cuMemFreeAsync(std::uint64_t address, void* /*stream*/) {
  return give(address);
}
int cuMemFreeAsync_ptsz(std::uint64_t address, void* /*stream*/) {
  return give(address);
}
int cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
  return flags > 7 ? kInvalidValue : take_host(address, bytes);
}
int cuMemAllocHost_v2(void** address, std::size_t bytes) {
  return take_host(address, bytes);
}
int cuMemFreeHost(void* address) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  if (all.host.erase(reinterpret_cast<std::uintptr_t>(address)) == 0) return kInvalidValue;
  std::free(address);  // NOLINT(cppcoreguidelines-no-malloc)
  return 0;
}
int cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned /*flags*/) {
  constexpr int kAlreadyRegistered = 712;
  const std::lock_guard lock(books().mutex);
  if (address == nullptr || bytes == 0) return kInvalidValue;
  const bool is_new = books().registered.emplace(reinterpret_cast<std::uintptr_t>(address), bytes).second;
  return is_new ? 0 : kAlreadyRegistered;
}
int cuMemHostUnregister(void* address) {
  constexpr int kNotRegistered = 713;
  const std::lock_guard lock(books().mutex);
  return books().registered.erase(reinterpret_cast<std::uintptr_t>(address)) == 1 ? 0 : kNotRegistered;
}
int cuArrayCreate_v2(void** array, const void* description) {
  *array = const_cast<void*>(description);
  return description == nullptr ? kInvalidValue : 0;
}
int cuModuleLoadData(void** module, const void* image) {
  *module = const_cast<void*>(image);
  return image == nullptr ? kInvalidValue : 0;
}
int cuModuleUnload(void* module) {
  return module == nullptr ? kInvalidValue : 0;
}
int cuLibraryLoadData(void** library, const void* code, int* jit_options, void** /*jit_values*/,
                      unsigned jit_count, int* /*options*/, void** /*values*/, unsigned count) {
  *library = const_cast<void*>(code);
  return code == nullptr || (jit_count > 0 && jit_options == nullptr) || count > 9 ? kInvalidValue : 0;
}
int cuLibraryUnload(void* library) {
  return library == nullptr ? kInvalidValue : 0;
}
int cuIpcOpenMemHandle_v2(std::uint64_t* address, CUipcMemHandle handle, unsigned flags) {
  std::memcpy(address, handle.reserved + 56, sizeof(*address));  // the end of what was passed by value
  return flags == 1 ? 0 : kInvalidValue;
}
int cuMemImportFromShareableHandle(unsigned long long* handle, void* os_handle, int type) {
  *handle = reinterpret_cast<std::uintptr_t>(os_handle);
  return type == 1 ? 0 : kInvalidValue;
}
int cuCtxGetDevice(int* device) {
  *device = 1;
  return 0;
}

int cuGetProcAddress_v2(const char* name, void** found, int version, unsigned long long flags, int* status);

int cuGetProcAddress(const char* name, void** found, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(name, found, version, flags, nullptr);
}

// The newest function that `version` knows; flag 2 asks for those with a default stream per thread.
int cuGetProcAddress_v2(const char* name, void** found, int version, unsigned long long flags, int* status) {
  struct Known {
    void* function;
    int since = 0;
  };
  static const std::map<std::string, Known> all = {
      {"cuMemAlloc", {reinterpret_cast<void*>(&cuMemAlloc_v2), 3020}},
      {"cuMemAlloc next", {reinterpret_cast<void*>(&cuMemAlloc_v3), 99000}},
      {"cuMemFree", {reinterpret_cast<void*>(&cuMemFree_v2), 3020}},
      {"cuMemCreate", {reinterpret_cast<void*>(&cuMemCreate), 10020}},
      {"cuMemRelease", {reinterpret_cast<void*>(&cuMemRelease), 10020}},
      {"cuMemAllocAsync", {reinterpret_cast<void*>(&cuMemAllocAsync), 11020}},
      {"cuMemAllocAsync ptsz", {reinterpret_cast<void*>(&cuMemAllocAsync_ptsz), 11020}},
      {"cuMemFreeAsync", {reinterpret_cast<void*>(&cuMemFreeAsync), 11020}},
      {"cuMemFreeAsync ptsz", {reinterpret_cast<void*>(&cuMemFreeAsync_ptsz), 11020}},
      {"cuMemHostAlloc", {reinterpret_cast<void*>(&cuMemHostAlloc), 2020}},
      {"cuMemFreeHost", {reinterpret_cast<void*>(&cuMemFreeHost), 2000}},
      {"cuGetProcAddress", {reinterpret_cast<void*>(&cuGetProcAddress_v2), 12000}},
  };
  const std::string asked = name;
  auto known = all.find(asked + ((flags & 2U) != 0 ? " ptsz" : " next"));
  if (known == all.end() || version < known->second.since) known = all.find(asked);
  const bool is_known = known != all.end() && version >= known->second.since;
  *found = is_known ? known->second.function : nullptr;
  if (status != nullptr) *status = is_known ? 0 : 1;
  return is_known ? 0 : kNotFound;
}

// For tests: what is there in truth.
std::uint64_t stand_in_bytes() {
  const std::lock_guard lock(books().mutex);
  return books().bytes;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
