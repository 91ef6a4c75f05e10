// Calls a CUDA driver in every way that libraries do, and prints what it returned: driver_calls LIBCUDA MODE.
// What it prints must be the same with the agent as without. It links nothing of CUDA.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kMB = 1U << 20U;

struct Handle {
  char bytes[64];
};
struct Properties {  // as far as it matters
  int type = 1;
  int handle_types = 0;
  int location_type = 1;
  int location = 3;
  char rest[16] = {};
};

// What a library with a static copy of the CUDA runtime keeps: looked up once, called ever after.
struct Driver {
  int (*mem_alloc)(std::uint64_t*, std::size_t);
  int (*mem_free)(std::uint64_t);
  int (*mem_create)(std::uint64_t*, std::size_t, const void*, unsigned long long);
  int (*mem_release)(unsigned long long);
  int (*alloc_async)(std::uint64_t*, std::size_t, void*);
  int (*free_async)(std::uint64_t, void*);
  int (*host_alloc)(void**, std::size_t, unsigned);
  int (*host_free)(void*);
};

template <typename Function>
void look_up(void* library, const char* name, Function*& into) {
  into = reinterpret_cast<Function*>(::dlsym(library, name));
}

Driver by_dlsym(void* library) {
  Driver out{};
  look_up(library, "cuMemAlloc_v2", out.mem_alloc);
  look_up(library, "cuMemFree_v2", out.mem_free);
  look_up(library, "cuMemCreate", out.mem_create);
  look_up(library, "cuMemRelease", out.mem_release);
  look_up(library, "cuMemAllocAsync", out.alloc_async);
  look_up(library, "cuMemFreeAsync", out.free_async);
  look_up(library, "cuMemHostAlloc", out.host_alloc);
  look_up(library, "cuMemFreeHost", out.host_free);
  return out;
}

Driver by_dlvsym(void* library) {
  Driver out = by_dlsym(library);
  const auto versioned = [&](const char* name) { return ::dlvsym(library, name, "CUDA_STAND_IN"); };
  out.mem_alloc = reinterpret_cast<decltype(out.mem_alloc)>(versioned("cuMemAlloc_v2"));
  out.mem_free = reinterpret_cast<decltype(out.mem_free)>(versioned("cuMemFree_v2"));
  return out;
}

template <typename Ask>
Driver by_asking(Ask ask) {
  Driver out{};
  const auto fill = [&](const char* name, auto*& into) {
    void* found = nullptr;
    ask(name, &found);
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(found);
  };
  fill("cuMemAlloc", out.mem_alloc);
  fill("cuMemFree", out.mem_free);
  fill("cuMemCreate", out.mem_create);
  fill("cuMemRelease", out.mem_release);
  fill("cuMemAllocAsync", out.alloc_async);
  fill("cuMemFreeAsync", out.free_async);
  fill("cuMemHostAlloc", out.host_alloc);
  fill("cuMemFreeHost", out.host_free);
  return out;
}

Driver by_first_lookup(void* library) {
  int (*ask)(const char*, void**, int, unsigned long long) = nullptr;
  look_up(library, "cuGetProcAddress", ask);
  return by_asking([&](const char* name, void** found) { return ask(name, found, 11040, 0); });
}

// The runtime of CUDA 12 asks the loader for this one only, and even this one once more by itself.
Driver by_second_lookup(void* library, unsigned long long flags) {
  int (*ask)(const char*, void**, int, unsigned long long, int*) = nullptr;
  look_up(library, "cuGetProcAddress_v2", ask);
  void* found = nullptr;
  int status = 0;
  ask("cuGetProcAddress", &found, 12000, 0, &status);
  ask = reinterpret_cast<decltype(ask)>(found);
  return by_asking([&](const char* name, void** into) { return ask(name, into, 12000, flags, nullptr); });
}

Driver driver_by(std::string_view way, void* library) {
  if (way == "dlsym") return by_dlsym(library);
  if (way == "dlvsym") return by_dlvsym(library);
  if (way == "first") return by_first_lookup(library);
  return by_second_lookup(library, way == "threads" ? 2 : 0);
}

// Before main, as the constructors of libraries do.
struct Early {
  void* library = nullptr;
  Driver driver{};
  Early() {
    if (const char* path = std::getenv("EARLY_DRIVER")) {
      library = ::dlopen(path, RTLD_NOW);
      driver = by_second_lookup(library, 0);
    }
  }
};
const Early g_early;

void say(const char* what, int result, std::uint64_t value) {
  std::printf("%s: %d, %llx\n", what, result, static_cast<unsigned long long>(value));
}

// Ten blocks of each kind stay, and ten go.
void keep(const Driver& driver) {
  for (int at = 0; at < 10; ++at) {
    std::uint64_t kept = 0;
    std::uint64_t gone = 0;
    std::uint64_t handle = 0;
    const Properties properties;
    void* pinned = nullptr;
    say("alloc", driver.mem_alloc(&kept, 4 * kMB), kept);
    say("alloc", driver.mem_alloc(&gone, 4 * kMB), gone);
    say("free", driver.mem_free(gone), 0);
    say("create", driver.mem_create(&handle, 2 * kMB, &properties, 0), handle);
    say("create", driver.mem_create(&handle, 2 * kMB, &properties, 0), handle);
    say("release", driver.mem_release(handle), 0);
    say("pinned", driver.host_alloc(&pinned, 1 * kMB, 0), 0);
    say("async", driver.alloc_async(&gone, 8 * kMB, nullptr), gone);
    say("free", driver.free_async(gone, nullptr), 0);
  }
}

void call_everything(void* library) {
  const auto call = [&]<typename... Arguments>(const char* name, Arguments... arguments) {
    int (*function)(Arguments...) = nullptr;
    look_up(library, name, function);
    return function(arguments...);
  };
  std::uint64_t address = 0;
  std::uint64_t second = 0;
  std::size_t pitch = 0;
  void* pointer = nullptr;
  static char memory[65536];
  say("null", call("cuMemAlloc_v2", static_cast<std::uint64_t*>(nullptr), std::size_t{1}), 0);
  say("nothing", call("cuMemAlloc_v2", &address, std::size_t{0}), address);
  say("too much", call("cuMemAlloc_v2", &address, std::size_t{1} << 50U), address);
  say("free of nothing", call("cuMemFree_v2", std::uint64_t{0}), 0);
  say("free of what never was", call("cuMemFree_v2", std::uint64_t{0x123400}), 0);
  say("pitch", call("cuMemAllocPitch_v2", &address, &pitch, std::size_t{700}, std::size_t{1000}, 4U),
      address + pitch);
  say("pitch of 3", call("cuMemAllocPitch_v2", &second, &pitch, std::size_t{700}, std::size_t{9}, 3U),
      second);
  say("free", call("cuMemFree_v2", address), 0);
  say("free again", call("cuMemFree_v2", address), 0);
  say("managed", call("cuMemAllocManaged", &address, kMB, 1U), address);
  say("managed how", call("cuMemAllocManaged", &second, kMB, 9U), second);
  say("pool",
      call("cuMemAllocFromPoolAsync", &second, kMB, static_cast<void*>(memory), static_cast<void*>(nullptr)),
      second);
  say("no pool",
      call("cuMemAllocFromPoolAsync", &second, kMB, static_cast<void*>(nullptr), static_cast<void*>(nullptr)),
      second);
  say("host", call("cuMemAllocHost_v2", &pointer, kMB), pointer != nullptr ? 1 : 0);
  say("free host", call("cuMemFreeHost", pointer), 0);
  say("free host again", call("cuMemFreeHost", static_cast<void*>(memory)), 0);
  say("register", call("cuMemHostRegister_v2", static_cast<void*>(memory), sizeof(memory), 0U), 0);
  say("register again", call("cuMemHostRegister_v2", static_cast<void*>(memory), sizeof(memory), 0U), 0);
  say("unregister", call("cuMemHostUnregister", static_cast<void*>(memory)), 0);
  say("unregister again", call("cuMemHostUnregister", static_cast<void*>(memory)), 0);
  say("register", call("cuMemHostRegister_v2", static_cast<void*>(memory), sizeof(memory), 0U), 0);
  say("array", call("cuArrayCreate_v2", &pointer, static_cast<const void*>(memory)),
      pointer == memory ? 1 : 0);
  say("module", call("cuModuleLoadData", &pointer, static_cast<const void*>(memory)),
      pointer == memory ? 1 : 0);
  say("module", call("cuModuleLoadData", &pointer, static_cast<const void*>(nullptr)),
      pointer == nullptr ? 1 : 0);
  say("unload", call("cuModuleUnload", static_cast<void*>(memory)), 0);
  say("library",
      call("cuLibraryLoadData", &pointer, static_cast<const void*>(memory), static_cast<int*>(nullptr),
           static_cast<void**>(nullptr), 0U, static_cast<int*>(nullptr), static_cast<void**>(nullptr), 9U),
      0);
  say("library",
      call("cuLibraryLoadData", &pointer, static_cast<const void*>(memory), static_cast<int*>(nullptr),
           static_cast<void**>(nullptr), 0U, static_cast<int*>(nullptr), static_cast<void**>(nullptr), 10U),
      0);
  Handle handle{};
  handle.bytes[56] = 42;
  say("ipc", call("cuIpcOpenMemHandle_v2", &address, handle, 1U), address);
  say("import", call("cuMemImportFromShareableHandle", &address, static_cast<void*>(memory), 1),
      address != 0 ? 1 : 0);
  unsigned small = 0;
  say("old version", call("cuMemAlloc", &small, 16U), small);
}

void storm(const Driver& driver) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([&driver] {
      for (int at = 0; at < 3000; ++at) {
        std::uint64_t blocks[3] = {};
        const Properties properties;
        void* pinned = nullptr;
        driver.mem_alloc(&blocks[0], (1 + static_cast<std::size_t>(at) % 5) * kMB);
        driver.mem_create(&blocks[1], 2 * kMB, &properties, 0);
        driver.alloc_async(&blocks[2], std::size_t{4096} << (static_cast<unsigned>(at) % 10), nullptr);
        driver.host_alloc(&pinned, 4096, 0);
        const bool is_well = driver.mem_free(blocks[0]) == 0 && driver.mem_release(blocks[1]) == 0 &&
                             driver.free_async(blocks[2], nullptr) == 0 && driver.host_free(pinned) == 0 &&
                             driver.mem_free(blocks[0]) != 0;
        if (!is_well) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The child has a copy of the books: what it frees is still there for its parent.
void fork_and_free(const Driver& driver) {
  std::uint64_t block = 0;
  say("alloc", driver.mem_alloc(&block, 16 * kMB), block);
  const pid_t child = ::fork();
  if (child == 0) {
    std::uint64_t other = 0;
    const int results = driver.mem_free(block) + driver.mem_alloc(&other, 2 * kMB);
    ::_exit(results);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  say("child", status, 0);
}

// 1,200 blocks of 64 KiB out of the pool, of which every second one stays.
void use_pool(const Driver& driver) {
  for (int at = 0; at < 1200; ++at) {
    std::uint64_t block = 0;
    driver.alloc_async(&block, 65536, nullptr);
    if (at % 2 != 0) driver.free_async(block, nullptr);
  }
}

void call_next_version(void* library) {
  int (*ask)(const char*, void**, int, unsigned long long, int*) = nullptr;
  look_up(library, "cuGetProcAddress_v2", ask);
  for (const char* name : {"cuMemAlloc_v3", "cuMemAlloc"}) {
    void* found = ::dlsym(library, name);
    if (std::string_view(name) == "cuMemAlloc") ask(name, &found, 99000, 0, nullptr);
    std::uint64_t block = 0;
    const int result =
        reinterpret_cast<int (*)(const char*, std::uint64_t*, std::size_t)>(found)("third", &block, kMB);
    say(name, result, block);
  }
  void* found = nullptr;
  say("no such name", ask("cuNoSuchName", &found, 12000, 0, nullptr), found == nullptr ? 1 : 0);
}

// As `lowtide attach --deep` does it, after somebody has looked up what he calls.
void let_agent_in() {
  void* agent = ::dlopen(std::getenv("LATE_AGENT"), RTLD_NOW | RTLD_GLOBAL);
  int (*start)(const char*) = nullptr;
  look_up(agent, "lowtide_agent_start", start);
  if (start == nullptr || start(std::getenv("LATE_SOCKET")) != 0) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  void* library = g_early.library != nullptr ? g_early.library : ::dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 3;
  }
  const std::string_view mode = argv[2];
  const Driver driver = g_early.library != nullptr ? g_early.driver : driver_by(argv[3], library);
  if (mode == "keep") keep(driver);
  if (mode == "everything") call_everything(library);
  if (mode == "storm") storm(driver);
  if (mode == "fork") fork_and_free(driver);
  if (mode == "pool") use_pool(driver);
  if (mode == "next") call_next_version(library);
  if (mode == "late") {
    let_agent_in();
    keep(driver);
    keep(by_dlsym(library));
  }
  std::uint64_t (*bytes)() = nullptr;
  look_up(library, "stand_in_bytes", bytes);
  std::printf("bytes: %llu\n", static_cast<unsigned long long>(bytes()));
  std::fflush(stdout);
  ::_exit(0);  // what is kept stays to the end
}
