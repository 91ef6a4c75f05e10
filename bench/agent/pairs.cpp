// Calls malloc and free on a set of blocks of random sizes, in several threads at once: the functions that
// the program is linked with, or those of libc, which bypass a library that replaces them.

#include <ctime>

#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

// NOLINTBEGIN(cppcoreguidelines-no-malloc): this is what is measured

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): glibc's names
extern "C" void* __libc_malloc(std::size_t) noexcept;
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" void __libc_free(void*) noexcept;

namespace {

using Malloc = void* (*)(std::size_t);
using Free = void (*)(void*);

class Churn {
 public:
  explicit Churn(std::uint64_t seed) : seed_(seed) {}
  Churn(const Churn&) = delete;
  Churn& operator=(const Churn&) = delete;
  Churn(Churn&&) = delete;
  Churn& operator=(Churn&&) = delete;
  ~Churn() {
    for (void* block : blocks_) std::free(block);
  }

  void work(long pairs, Malloc take, Free give_back) {
    for (long at = 0; at < pairs; ++at) {
      seed_ = seed_ * 6364136223846793005ULL + 1442695040888963407ULL;
      void*& block = blocks_[(seed_ >> 33U) % kLive];
      give_back(block);
      block = take(16 + (seed_ >> 50U) % 500);
      *static_cast<volatile char*>(block) = 1;
    }
  }

  // CPU seconds of this thread.
  double measure(long pairs, Malloc take, Free give_back) {
    const double began_s = thread_seconds();
    work(pairs, take, give_back);
    return thread_seconds() - began_s;
  }

 private:
  static double thread_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  static constexpr std::size_t kLive = 1024;
  std::uint64_t seed_;
  std::vector<void*> blocks_ = std::vector<void*>(kLive, nullptr);
};

template <typename Work>
void in_threads(int count, Work work) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int at = 0; at < count; ++at) threads.emplace_back([=] { work(at); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

extern "C" void run_pairs(int threads, long pairs) {
  in_threads(threads,
             [=](int at) { Churn(static_cast<std::uint64_t>(at) + 1).work(pairs, std::malloc, std::free); });
}

// Each thread runs turns A B B A of 20,000 pairs. A calls libc directly, B calls the functions that the
// program is linked with. `ratios` gets one ratio B / A per round, all rounds of the first thread first.
extern "C" void pairs_by_turns(int threads, int rounds, double* ratios) {
  constexpr long kPairs = 20000;
  in_threads(threads, [=](int at) {
    Churn churn(static_cast<std::uint64_t>(at) + 1);
    churn.work(kPairs, std::malloc, std::free);
    for (int round = 0; round < rounds; ++round) {
      double alone_s = churn.measure(kPairs, __libc_malloc, __libc_free);
      double watched_s = churn.measure(kPairs, std::malloc, std::free);
      watched_s += churn.measure(kPairs, std::malloc, std::free);
      alone_s += churn.measure(kPairs, __libc_malloc, __libc_free);
      ratios[at * rounds + round] = watched_s / alone_s;
    }
  });
}

// NOLINTEND(cppcoreguidelines-no-malloc)
