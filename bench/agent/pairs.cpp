// malloc and free over a live set of random blocks: pairs THREADS PAIRS, prints the
// nanoseconds of CPU time per pair.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

// NOLINTBEGIN(cppcoreguidelines-no-malloc): this is what is measured

namespace {

double cpu_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void work(std::uint64_t seed, long pairs, double& ns) {
  constexpr std::size_t kLive = 1024;
  std::vector<void*> blocks(kLive, nullptr);
  const double began = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  for (long at = 0; at < pairs; ++at) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    void*& block = blocks[(seed >> 33U) % kLive];
    std::free(block);
    block = std::malloc(16 + (seed >> 50U) % 500);
    *static_cast<volatile char*>(block) = 1;
  }
  ns = (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - began) / static_cast<double>(pairs);
  for (void* block : blocks) {
    std::free(block);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto count = static_cast<std::size_t>(std::atoi(argv[1]));
  const long pairs = std::atol(argv[2]);
  std::vector<double> ns(count, 0.0);
  std::vector<std::thread> threads;
  for (std::size_t at = 0; at < count; ++at) {
    threads.emplace_back([&, at] { work(at + 1, pairs, ns[at]); });
  }
  double sum = 0;
  for (std::size_t at = 0; at < count; ++at) {
    threads[at].join();
    sum += ns[at];
  }
  std::printf("%.3f\n", sum / static_cast<double>(count));
  return 0;
}

// NOLINTEND(cppcoreguidelines-no-malloc)
