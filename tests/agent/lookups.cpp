// Asks the loader for functions by name, in every way there is, and prints what it got:
// lookups NAME [LIBRARY]. What it prints must be the same with the agent as without.

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

// NOLINTBEGIN(cppcoreguidelines-no-malloc): this is what is tested

namespace {

const char* const kNames[] = {"malloc",         "free",          "calloc",      "realloc", "reallocarray",
                              "posix_memalign", "aligned_alloc", "memalign",    "valloc",  "pvalloc",
                              "mmap",           "mmap64",        "munmap",      "mremap",  "printf",
                              "dlopen",         "environ",       "no_such_name"};

std::atomic<int> g_failures{0};

void expect(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "lookups: %s\n", what);
    ++g_failures;
  }
}

// "libc.so.6", or what is no address at all.
std::string library_of(void* address) {
  Dl_info info{};
  if (address == nullptr) {
    return "null";
  }
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
    return "nobody";
  }
  const std::string_view path = info.dli_fname;
  return std::string(path.substr(path.rfind('/') + 1));
}

// The agent counts as libc: it stands for it.
std::string owner_of(void* address) {
  const std::string library = library_of(address);
  return library == "liblowtide_agent.so" ? "libc.so.6" : library;
}

void* libc() {
  return ::dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
}

// The same function by every way: in a program that nobody looks into they are one.
void by_name(const char* library) {
  void* handle = library != nullptr ? ::dlopen(library, RTLD_NOW) : libc();
  void* everything = ::dlopen(nullptr, RTLD_NOW);
  expect(handle != nullptr, "no such library");
  for (const char* name : kNames) {
    std::printf("%s: handle %s, program %s, default %s, next %s\n", name,
                owner_of(::dlsym(handle, name)).c_str(), owner_of(::dlsym(everything, name)).c_str(),
                owner_of(::dlsym(RTLD_DEFAULT, name)).c_str(), owner_of(::dlsym(RTLD_NEXT, name)).c_str());
  }
  std::printf("malloc is %s\n",
              ::dlsym(handle, "malloc") == reinterpret_cast<void*>(&std::malloc) ? "malloc" : "another");
  const char* kVersions[] = {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_9"};
  for (const char* version : kVersions) {
    std::printf("malloc of %s: %s\n", version, owner_of(::dlvsym(handle, "malloc", version)).c_str());
  }
}

const char* said() {
  const char* text = ::dlerror();
  return text != nullptr ? text : "(nothing)";
}

void errors() {
  void* handle = libc();
  std::printf("at first: %s\n", said());
  expect(::dlsym(handle, "malloc") != nullptr, "malloc");
  std::printf("after one that is there: %s\n", said());
  expect(::dlsym(handle, "no_such_name") == nullptr, "no_such_name");
  std::printf("after one that is not: %s\n", said());
  std::printf("asked again: %s\n", said());
  expect(::dlsym(handle, "no_such_name") == nullptr, "no_such_name");
  expect(::dlsym(handle, "malloc") != nullptr, "malloc");
  std::printf("not, then there: %s\n", said());
  expect(::dlsym(RTLD_DEFAULT, "no_such_name") == nullptr, "no_such_name");
  std::printf("by default: %s\n", said());
  expect(::dlsym(RTLD_NEXT, "no_such_name") == nullptr, "no_such_name");
  std::printf("next: %s\n", said());
  expect(::dlvsym(handle, "malloc", "GLIBC_9") == nullptr, "GLIBC_9");
  std::printf("of a version that is not: %s\n", said());
  errno = 4711;
  expect(::dlsym(handle, "malloc") != nullptr && errno == 4711, "dlsym changed errno");
}

// Eight threads ask for all names while two libraries come and go.
void storm() {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int at = 0; at < 8; ++at) {
    threads.emplace_back([] {
      void* handle = libc();
      for (int round = 0; round < 2000; ++round) {
        for (const char* name : kNames) {
          const bool is_there = std::string_view(name) != "no_such_name";
          expect((::dlsym(handle, name) != nullptr) == is_there, name);
          expect((::dlerror() == nullptr) == is_there, "an error of another");
          expect((::dlsym(RTLD_DEFAULT, name) != nullptr) == is_there, name);
          expect((::dlerror() == nullptr) == is_there, "an error of another");
        }
        auto* allocate = reinterpret_cast<void* (*)(std::size_t)>(::dlsym(handle, "malloc"));
        auto* release = reinterpret_cast<void (*)(void*)>(::dlsym(handle, "free"));
        void* block = allocate(100'000);
        std::memset(block, 1, 100'000);
        release(block);
      }
    });
  }
  std::thread loads([&] {
    for (int at = 0; !stop; ++at) {
      void* library = ::dlopen(at % 2 == 0 ? "libm.so.6" : "libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
      expect(::dlsym(library, at % 2 == 0 ? "cos" : "res_search") != nullptr || at % 2 == 1, "cos");
      ::dlclose(library);
    }
  });
  for (auto& thread : threads) {
    thread.join();
  }
  stop = true;
  loads.join();
}

// Allocates 64 MB in blocks of 100 kB and 16 MB by mmap, with the functions of libc itself. `how` selects
// whether they are freed by these functions, by name, or not at all.
void keep(std::string_view how) {
  void* handle = libc();
  auto* allocate = reinterpret_cast<void* (*)(std::size_t)>(::dlsym(handle, "malloc"));
  auto* release = reinterpret_cast<void (*)(void*)>(::dlsym(handle, "free"));
  auto* map = reinterpret_cast<void* (*)(void*, std::size_t, int, int, int, off_t)>(::dlsym(handle, "mmap"));
  auto* unmap = reinterpret_cast<int (*)(void*, std::size_t)>(::dlsym(handle, "munmap"));
  constexpr std::size_t kMapBytes = 16U << 20U;
  for (int at = 0; at < 640; ++at) {
    void* block = allocate(100'000);
    std::memset(block, 1, 100'000);
    if (how == "frees") {
      release(block);
    } else if (how == "frees_by_name") {
      std::free(block);
    }
  }
  void* mapped = map(nullptr, kMapBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (how != "keeps") {
    unmap(mapped, kMapBytes);
  }
}

// What a library in the middle of the chain got, asked by itself and in its constructor. What
// is behind it is behind the agent too, so nobody may stand for that.
void middle() {
  using Answer = void*();
  const auto ask = [](const char* name) {
    auto* answer = reinterpret_cast<Answer*>(::dlsym(RTLD_DEFAULT, name));
    return answer != nullptr ? answer() : nullptr;
  };
  std::printf("middle_next_malloc: %s\n", library_of(ask("middle_next_malloc")).c_str());
  std::printf("middle_early_next: %s\n", library_of(ask("middle_early_next")).c_str());
  std::printf("middle_early_malloc: %s\n", owner_of(ask("middle_early_malloc")).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "names") {
    by_name(argc > 2 ? argv[2] : nullptr);
  } else if (name == "errors") {
    errors();
  } else if (name == "storm") {
    storm();
  } else if (name == "keeps" || name == "frees" || name == "frees_by_name") {
    keep(name);
  } else if (name == "middle") {
    middle();
  } else {
    std::fputs("lookups: no such program\n", stderr);
    return 2;
  }
  std::fflush(stdout);
  ::_exit(g_failures == 0 ? 0 : 1);
}

// NOLINTEND(cppcoreguidelines-no-malloc)
