// Small programs with a known truth, to run under the agent: target NAME [NUMBER].
// Each ends with 0 when what it saw of its own memory was right.

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

// NOLINTBEGIN(cppcoreguidelines-no-malloc, performance-no-int-to-ptr): this is what is tested

namespace {

int g_failures = 0;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "target: %s\n", what);
    ++g_failures;
  }
}

// Leaves without running destructors, so that what is live now is live at the end.
[[noreturn]] void leave() {
  ::_exit(g_failures == 0 ? 0 : 1);
}

std::uint64_t next(std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return state >> 33U;
}

// Random sizes, random order of frees; every block is filled and checked.
void storm(std::uint64_t seed, int rounds, std::size_t largest) {
  constexpr std::size_t kSlots = 512;
  std::vector<unsigned char*> blocks(kSlots, nullptr);
  std::vector<std::size_t> sizes(kSlots, 0);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t at = next(seed) % kSlots;
    if (blocks[at] != nullptr) {
      const auto mark = static_cast<unsigned char>(at);
      if (sizes[at] > 0 && (blocks[at][0] != mark || blocks[at][sizes[at] - 1] != mark)) {
        std::abort();
      }
      if (next(seed) % 4 == 0) {
        const std::size_t bytes = next(seed) % largest;
        blocks[at] = static_cast<unsigned char*>(std::realloc(blocks[at], bytes + 1));
        if (sizes[at] > 0 && blocks[at][0] != mark) {
          std::abort();
        }
        sizes[at] = bytes + 1;
        std::memset(blocks[at], static_cast<int>(mark), sizes[at]);
        continue;
      }
      std::free(blocks[at]);
      blocks[at] = nullptr;
      continue;
    }
    std::size_t bytes = next(seed) % largest;
    void* block = nullptr;
    switch (next(seed) % 4) {
      case 0:
        block = std::calloc(1, bytes);
        break;
      case 1:
        if (::posix_memalign(&block, 64, bytes) != 0 || reinterpret_cast<std::uintptr_t>(block) % 64 != 0) {
          std::abort();
        }
        break;
      default:
        block = std::malloc(bytes);
    }
    blocks[at] = static_cast<unsigned char*>(block);
    sizes[at] = bytes;
    if (bytes > 0) {
      std::memset(block, static_cast<int>(at), bytes);
    }
  }
  for (unsigned char* block : blocks) {
    std::free(block);
  }
}

void threads_storm(int rounds) {
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    threads.emplace_back([=] { storm(seed, rounds, 20000); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

// Keeps `megabytes`, in blocks of 100 to 4100 bytes, among as much that is freed.
void keep(std::uint64_t megabytes) {
  std::uint64_t seed = 7;
  std::uint64_t kept = 0;
  while (kept < megabytes << 20U) {
    const std::size_t bytes = 100 + next(seed) % 4000;
    void* block = std::malloc(bytes);
    void* other = std::malloc(bytes);
    std::memset(block, 1, bytes);
    std::free(other);
    kept += bytes;
  }
  std::printf("%llu\n", static_cast<unsigned long long>(kept));
  std::fflush(stdout);
}

// What every allocator promises, with us in between.
void promises() {
  errno = 4711;
  void* block = std::malloc(100);
  expect(errno == 4711, "malloc changed errno");
  std::free(block);
  std::free(nullptr);
  expect(errno == 4711, "free changed errno");
  for (std::size_t alignment = 16; alignment <= (1U << 21U); alignment *= 2) {
    for (void* aligned : {::memalign(alignment, 1000), std::aligned_alloc(alignment, alignment * 2)}) {
      expect(aligned != nullptr && reinterpret_cast<std::uintptr_t>(aligned) % alignment == 0, "not aligned");
      expect(::malloc_usable_size(aligned) >= 1000 || alignment < 512, "usable size");
      std::free(aligned);
    }
  }
  void* pages = ::valloc(5);
  expect(reinterpret_cast<std::uintptr_t>(pages) % 4096 == 0, "valloc not aligned");
  std::free(pages);
  const volatile std::size_t huge = SIZE_MAX - 4096;
  errno = 0;
  expect(std::malloc(huge) == nullptr && errno == ENOMEM, "a malloc of everything");
  errno = 0;
  expect(std::calloc(huge / 2, 3) == nullptr && errno == ENOMEM, "a calloc that overflows");
  errno = 0;
  expect(::reallocarray(nullptr, huge / 2, 3) == nullptr && errno == ENOMEM, "a reallocarray that overflows");
  block = std::malloc(0);
  expect(block != nullptr, "malloc(0)");
  block = std::realloc(block, 10);
  std::strcpy(static_cast<char*>(block), "tide");
  errno = 0;
  expect(std::realloc(block, huge) == nullptr && errno == ENOMEM, "a realloc of everything");
  block = std::realloc(block, 5'000'000);
  expect(std::strcmp(static_cast<char*>(block), "tide") == 0, "realloc lost the content");
  block = std::realloc(block, 5);
  expect(std::strcmp(static_cast<char*>(block), "tide") == 0, "realloc lost the content");
  std::free(block);
  auto* zeros = static_cast<unsigned char*>(std::calloc(3, 300'000));
  bool all_zero = true;
  for (std::size_t at = 0; at < 900'000; ++at) {
    all_zero = all_zero && zeros[at] == 0;
  }
  expect(all_zero, "calloc is not zero");
  std::free(zeros);
  void* untouched = &block;
  expect(::posix_memalign(&untouched, 3, 10) == EINVAL && untouched == &block, "posix_memalign(3)");
}

// One block that is reallocated again and again: one sample lives at the end, at most.
void realloc_chain() {
  char* block = nullptr;
  for (std::size_t bytes = 1000; bytes < 40'000'000; bytes += bytes / 8) {
    block = static_cast<char*>(std::realloc(block, bytes));
    block[bytes - 1] = 1;
  }
  block = static_cast<char*>(std::realloc(block, 3'000'000));
  block[0] = 1;
}

void memory_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = 1U << 30U;
  ::setrlimit(RLIMIT_AS, &limit);
  std::vector<void*> blocks;
  blocks.reserve(100'000);
  for (;;) {
    errno = 0;
    void* block = std::malloc(1'000'000);
    if (block == nullptr) {
      expect(errno == ENOMEM, "errno of a malloc that failed");
      break;
    }
    blocks.push_back(block);
  }
  expect(blocks.size() > 100, "room for a hundred");
  for (void* block : blocks) {
    std::free(block);
  }
}

std::atomic<bool> g_stop{false};

// So large a block is sampled for certain, and from the first sample on the agent counts what it sees.
void be_sampled() {
  std::free(std::malloc(64U << 20U));
}

void fork_in_threads(int forks) {
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([=] {
      for (std::uint64_t more = 0; !g_stop; ++more) {
        storm(seed + more, 2000, 50000);
      }
    });
  }
  for (int at = 0; at < forks; ++at) {
    const pid_t child = ::fork();
    if (child == 0) {
      be_sampled();
      storm(99, 3000, 50000);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    expect(status == 0, "a child failed");
  }
  g_stop = true;
  for (auto& thread : threads) {
    thread.join();
  }
}

// The child frees what the parent had sampled: in the parent it stays alive.
void fork_frees() {
  std::vector<void*> blocks;
  for (int at = 0; at < 40; ++at) {
    blocks.push_back(std::malloc(1U << 20U));
    std::memset(blocks.back(), 1, 1U << 20U);
  }
  const pid_t child = ::fork();
  if (child == 0) {
    for (void* block : blocks) {
      std::free(block);
    }
    std::vector<void*> more;
    for (int at = 0; at < 10; ++at) {
      more.push_back(std::malloc(2U << 20U));
      std::memset(more.back(), 1, 2U << 20U);
    }
    ::usleep(200'000);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  expect(status == 0, "the child failed");
}

void vfork_and_spawn() {
  void* block = std::malloc(1U << 20U);
  std::memset(block, 1, 1U << 20U);
  for (int at = 0; at < 200; ++at) {
    const pid_t child = ::vfork();
    if (child == 0) {
      void* inside = std::malloc(3U << 20U);
      std::free(inside);
      ::execl("/bin/true", "true", nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    expect(status == 0, "a vfork child failed");
    char name[] = "true";
    char* arguments[] = {name, nullptr};
    pid_t spawned = 0;
    expect(::posix_spawn(&spawned, "/bin/true", nullptr, nullptr, arguments, environ) == 0, "posix_spawn");
    ::waitpid(spawned, &status, 0);
    expect(status == 0, "a spawned child failed");
  }
}

void dlopen_storm() {
  be_sampled();
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([=] {
      for (std::uint64_t more = 0; !g_stop; ++more) {
        storm(seed + more, 2000, 50000);
      }
    });
  }
  for (int at = 0; at < 300; ++at) {
    void* library = ::dlopen(at % 2 == 0 ? "libm.so.6" : "libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
    expect(library != nullptr, "dlopen");
    ::dlclose(library);
  }
  g_stop = true;
  for (auto& thread : threads) {
    thread.join();
  }
}

// A handler that allocates is wrong, and is found in the wild. It must not hang in us;
// in glibc it may, so the handler only does what we add: it reads and maps.
void signals(int seconds_tenths) {
  struct sigaction action {};
  action.sa_handler = [](int) {
    void* mapped = ::mmap(nullptr, 1U << 20U, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::munmap(mapped, 1U << 20U);
  };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPROF, &action, nullptr);
  const itimerval often{{0, 500}, {0, 500}};
  ::setitimer(ITIMER_PROF, &often, nullptr);
  for (int at = 0; at < seconds_tenths * 10; ++at) {
    storm(static_cast<std::uint64_t>(at), 20000, 30000);
  }
  const itimerval never{};
  ::setitimer(ITIMER_PROF, &never, nullptr);
}

pthread_key_t g_key;

void thread_exits() {
  ::pthread_key_create(&g_key, [](void* block) {
    std::free(block);
    std::free(std::malloc(700'000));
  });
  for (int at = 0; at < 500; ++at) {
    std::thread([] {
      ::pthread_setspecific(g_key, std::malloc(600'000));
      static thread_local std::vector<char> kept(100'000);
      kept[0] = 1;
    }).join();
  }
}

// Maps too much, cuts off both ends to be aligned, keeps one and gives one back.
void mappings() {
  constexpr std::size_t kBytes = 8U << 20U;
  for (int at = 0; at < 2; ++at) {
    auto* whole = static_cast<char*>(
        ::mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    auto* begin = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(whole) + kBytes) & ~(kBytes - 1));
    if (begin > whole) {
      ::munmap(whole, static_cast<std::size_t>(begin - whole));
    }
    ::munmap(begin + kBytes, static_cast<std::size_t>(whole + 2 * kBytes - (begin + kBytes)));
    std::memset(begin, 1, kBytes);
    if (at == 0) {
      ::munmap(begin, kBytes);
    }
  }
  void* moved = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  moved = ::mremap(moved, kBytes, 4 * kBytes, MREMAP_MAYMOVE);
  expect(moved != MAP_FAILED, "mremap");
  ::munmap(moved, 4 * kBytes);
}

// Shared memory is kept; a file on a disk and a segment that is only read are none; one is given back.
void shared_mappings() {
  constexpr std::size_t kBytes = 8U << 20U;
  const auto map = [](int fd, int protection, int flags) {
    void* mapped = ::mmap(nullptr, kBytes, protection, flags, fd, 0);
    expect(mapped != MAP_FAILED, "mmap");
    return mapped;
  };
  constexpr int kBoth = PROT_READ | PROT_WRITE;
  const int segment = ::memfd_create("segment", MFD_CLOEXEC);
  expect(::ftruncate(segment, kBytes) == 0, "ftruncate");
  map(segment, kBoth, MAP_SHARED);
  ::munmap(map(segment, kBoth, MAP_SHARED), kBytes);
  map(segment, PROT_READ, MAP_SHARED);
  map(-1, kBoth, MAP_SHARED | MAP_ANONYMOUS);
  const int disk = ::open("shared.bin", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  expect(disk >= 0 && ::ftruncate(disk, kBytes) == 0, "a file");
  map(disk, kBoth, MAP_SHARED);
  map(::open("/dev/zero", O_RDWR | O_CLOEXEC), kBoth, MAP_SHARED);  // a device
}

ucontext_t g_main_context;
ucontext_t g_other_context;

// A stack of 16 KiB between two guard pages: reading past its end would be fatal.
void small_stack() {
  constexpr std::size_t kPage = 4096;
  auto* stack = static_cast<char*>(
      ::mmap(nullptr, 6 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::mprotect(stack, kPage, PROT_NONE);
  ::mprotect(stack + 5 * kPage, kPage, PROT_NONE);
  ::getcontext(&g_other_context);
  g_other_context.uc_stack.ss_sp = stack + kPage;
  g_other_context.uc_stack.ss_size = 4 * kPage;
  g_other_context.uc_link = &g_main_context;
  ::makecontext(
      &g_other_context,
      [] {
        for (int at = 0; at < 50; ++at) {
          std::free(std::malloc(1U << 20U));
        }
      },
      0);
  ::swapcontext(&g_main_context, &g_other_context);
}

// Enough live samples for the table to grow twice.
void many_live() {
  for (int at = 0; at < 60'000; ++at) {
    if (std::malloc(70'000) == nullptr) {
      expect(false, "no memory");
      return;
    }
    if (at % 10 == 0) {
      ::usleep(200);  // so that the reader keeps up
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (name == "storm") {
    threads_storm(number);
  } else if (name == "keep") {
    keep(static_cast<std::uint64_t>(number));
  } else if (name == "promises") {
    promises();
  } else if (name == "realloc") {
    realloc_chain();
  } else if (name == "limit") {
    memory_limit();
  } else if (name == "forks") {
    fork_in_threads(number);
  } else if (name == "fork_frees") {
    fork_frees();
  } else if (name == "vfork") {
    vfork_and_spawn();
  } else if (name == "dlopen") {
    dlopen_storm();
  } else if (name == "signals") {
    signals(number);
  } else if (name == "thread_exits") {
    thread_exits();
  } else if (name == "mappings") {
    mappings();
  } else if (name == "shared_mappings") {
    shared_mappings();
  } else if (name == "small_stack") {
    small_stack();
  } else if (name == "many_live") {
    many_live();
  } else {
    std::fputs("target: no such program\n", stderr);
    return 2;
  }
  leave();
}

// NOLINTEND(cppcoreguidelines-no-malloc, performance-no-int-to-ptr)
