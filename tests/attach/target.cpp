// Programs that are entered while they run: attach_target NAME [NUMBER]. Each prints
// "ready", goes on until its standard input ends, and ends with 0 when nothing was
// disturbed.

#include <dlfcn.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> g_ended{false};
std::atomic<int> g_failures{0};

void expect(bool holds, const char* what) {
  if (!holds && g_failures.fetch_add(1) < 10) {
    std::fprintf(stderr, "attach_target: %s\n", what);
  }
}

bool input_ended() {
  pollfd waiting{0, POLLIN, 0};
  char byte = 0;
  return ::poll(&waiting, 1, 0) > 0 && ::read(0, &byte, 1) <= 0;
}

void say_ready() {
  std::puts("ready");
  std::fflush(stdout);
}

std::uint64_t next(std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return state >> 33U;
}

// Every block is filled and looked at before it goes.
void storm(std::uint64_t seed) {
  constexpr std::size_t kSlots = 256;
  std::vector<unsigned char*> blocks(kSlots, nullptr);
  std::vector<std::size_t> sizes(kSlots, 0);
  while (!g_ended.load(std::memory_order_relaxed)) {
    const std::size_t at = next(seed) % kSlots;
    const auto mark = static_cast<unsigned char>(at);
    if (blocks[at] != nullptr) {
      expect(blocks[at][0] == mark && blocks[at][sizes[at] - 1] == mark, "a block was changed");
    }
    const std::size_t bytes = 1 + next(seed) % 20000;
    if (blocks[at] != nullptr && next(seed) % 2 == 0) {
      blocks[at] = static_cast<unsigned char*>(std::realloc(blocks[at], bytes));
    } else {
      std::free(blocks[at]);
      blocks[at] =
          static_cast<unsigned char*>(next(seed) % 2 == 0 ? std::calloc(1, bytes) : std::malloc(bytes));
    }
    sizes[at] = bytes;
    std::memset(blocks[at], static_cast<int>(mark), bytes);
  }
  for (unsigned char* block : blocks) {
    std::free(block);
  }
}

void storm_of_threads(int count) {
  std::vector<std::thread> threads;
  for (int seed = 1; seed <= count; ++seed) {
    threads.emplace_back(storm, static_cast<std::uint64_t>(seed));
  }
  say_ready();
  while (!input_ended()) {
    ::usleep(2000);
  }
  g_ended.store(true);
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// A leaf: its array lies below the stack pointer.
__attribute__((noinline)) std::uint64_t sum_in_the_red_zone(std::uint64_t seed) {
  volatile std::uint64_t words[14];
  for (std::uint64_t at = 0; at < 14; ++at) {
    words[at] = seed + at;
  }
  std::uint64_t sum = 0;
  for (std::uint64_t at = 0; at < 14; ++at) {
    sum += words[at];
  }
  return sum;
}

#if defined(__x86_64__)
// Patterns in all vector registers, a while of counting, and what is in them then.
__attribute__((noinline, target("avx"))) bool keeps_vectors(const unsigned char* pattern,
                                                            unsigned char* after, std::uint64_t turns) {
  asm volatile(
      "vmovdqu 0(%[in]), %%ymm0\n vmovdqu 32(%[in]), %%ymm1\n vmovdqu 64(%[in]), %%ymm2\n"
      "vmovdqu 96(%[in]), %%ymm3\n vmovdqu 128(%[in]), %%ymm4\n vmovdqu 160(%[in]), %%ymm5\n"
      "vmovdqu 192(%[in]), %%ymm14\n vmovdqu 224(%[in]), %%ymm15\n"
      "stc\n"
      "1: leaq -1(%[turns]), %[turns]\n jrcxz 2f\n jmp 1b\n"
      "2: jc 3f\n ud2\n 3:\n"
      "vmovdqu %%ymm0, 0(%[out])\n vmovdqu %%ymm1, 32(%[out])\n vmovdqu %%ymm2, 64(%[out])\n"
      "vmovdqu %%ymm3, 96(%[out])\n vmovdqu %%ymm4, 128(%[out])\n vmovdqu %%ymm5, 160(%[out])\n"
      "vmovdqu %%ymm14, 192(%[out])\n vmovdqu %%ymm15, 224(%[out])\n"
      : [turns] "+c"(turns)
      : [in] "r"(pattern), [out] "r"(after)
      : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm14", "xmm15");
  return std::memcmp(pattern, after, 256) == 0;
}
#else
bool keeps_vectors(const unsigned char* /*pattern*/, unsigned char* /*after*/, std::uint64_t /*turns*/) {
  return true;
}
#endif

void keep_registers() {
  unsigned char pattern[256];
  unsigned char after[256];
  for (std::size_t at = 0; at < sizeof(pattern); ++at) {
    pattern[at] = static_cast<unsigned char>(at * 7 + 3);
  }
  say_ready();
  for (std::uint64_t round = 0; !input_ended(); ++round) {
    errno = 4711;
    for (int turn = 0; turn < 50; ++turn) {
      expect(keeps_vectors(pattern, after, 20000), "a vector register was changed");
      const volatile double third = 1.0 / 3;
      double sum = 0;
      for (int at = 0; at < 3000; ++at) {
        sum += third;
      }
      expect(sum > 999.9999 && sum < 1000.0001, "a sum was changed");
      for (std::uint64_t at = 0; at < 2000; ++at) {
        expect(sum_in_the_red_zone(round) == 14 * round + 91, "the red zone was changed");
      }
    }
    expect(errno == 4711, "errno was changed");
  }
}

double now_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Sleeps are slept to their end, and nothing comes back with EINTR.
void wait_for_things() {
  say_ready();
  int descriptors[2];
  expect(::pipe(descriptors) == 0, "pipe");
  while (!input_ended()) {
    double began_s = now_s();
    const timespec nap{0, 30'000'000};
    expect(::nanosleep(&nap, nullptr) == 0 && now_s() - began_s >= 0.03, "nanosleep was cut short");
    began_s = now_s();
    pollfd waiting{descriptors[0], POLLIN, 0};
    expect(::poll(&waiting, 1, 30) == 0 && now_s() - began_s >= 0.029, "poll was cut short");
    began_s = now_s();
    expect(::clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr) == 0 && now_s() - began_s >= 0.03,
           "clock_nanosleep was cut short");
  }
}

// In one system call until the input ends.
void block() {
  say_ready();
  char byte = 0;
  expect(::read(0, &byte, 1) == 0, "read was cut short");
}

// Says whether calls of malloc from here lead to the agent.
void tell_hooks() {
  say_ready();
  char line[64];
  while (std::fgets(line, sizeof(line), stdin) != nullptr) {
    Dl_info info{};
    void* (*volatile function)(std::size_t) = &std::malloc;
    ::dladdr(reinterpret_cast<void*>(function), &info);
    const bool is_ours = info.dli_fname != nullptr && std::strstr(info.dli_fname, "lowtide_agent") != nullptr;
    std::puts(is_ours ? "hooked" : "not hooked");
    std::fflush(stdout);
  }
}

// Becomes itself again every few milliseconds.
void exec_again(char** arguments, int left) {
  if (left == 1000) {
    say_ready();
  }
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    threads.emplace_back(storm, seed);
  }
  ::usleep(static_cast<useconds_t>(2000 + left % 7 * 1000));
  if (left > 0 && !input_ended() && g_failures.load() == 0) {
    std::string number = std::to_string(left - 1);
    char* again[] = {arguments[0], arguments[1], number.data(), nullptr};
    ::execv("/proc/self/exe", again);
    expect(false, "exec");
  }
  g_ended.store(true);
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// A child that is traced by us.
void trace_a_child() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
      ::pause();
    }
  }
  expect(::ptrace(PTRACE_SEIZE, child, 0, 0) == 0, "ptrace");
  std::printf("ready %d\n", static_cast<int>(child));
  std::fflush(stdout);
  while (!input_ended()) {
    ::usleep(2000);
  }
  ::kill(child, SIGKILL);
}

// Takes the time in every turn: gaps are when it was not running. At the end it prints
// those above 50 us, in us.
void take_times(int threads_beside) {
  std::vector<std::thread> threads;
  for (int seed = 1; seed <= threads_beside; ++seed) {
    threads.emplace_back(storm, static_cast<std::uint64_t>(seed));
  }
  std::vector<double> gaps_us;
  gaps_us.reserve(1U << 20U);
  say_ready();
  double before_s = now_s();
  for (std::uint64_t turn = 0; turn % 4096 != 0 || !input_ended(); ++turn) {
    const double at_s = now_s();
    if (at_s - before_s > 50e-6 && gaps_us.size() < gaps_us.capacity()) {
      gaps_us.push_back((at_s - before_s) * 1e6);
    }
    before_s = at_s;
  }
  for (const double gap_us : gaps_us) {
    std::printf("%.0f\n", gap_us);
  }
  g_ended.store(true);
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Prints the process that sent a fatal signal, to show that it was not the injector.
void tell_sender(int number, siginfo_t* info, void* /*context*/) {
  char text[64];
  const int bytes = std::snprintf(text, sizeof(text), "attach_target: signal %d from process %d\n", number,
                                  static_cast<int>(info->si_pid));
  (void)!::write(STDERR_FILENO, text, static_cast<std::size_t>(bytes));
  ::_exit(128 + number);
}

}  // namespace

int main(int argc, char** argv) {
  struct sigaction action {};
  action.sa_sigaction = tell_sender;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGTERM, &action, nullptr);
  const std::string_view name = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (name == "storm") {
    storm_of_threads(number == 0 ? 8 : number);
  } else if (name == "registers") {
    keep_registers();
  } else if (name == "waits") {
    wait_for_things();
  } else if (name == "blocks") {
    block();
  } else if (name == "hooks") {
    tell_hooks();
  } else if (name == "execs") {
    exec_again(argv, number);
  } else if (name == "traced") {
    trace_a_child();
  } else if (name == "times") {
    take_times(number);
  } else {
    return 2;
  }
  return g_failures.load() == 0 ? 0 : 1;
}
