// malloc and free over a live set of random blocks, in some threads at once.

#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

// NOLINTBEGIN(cppcoreguidelines-no-malloc): this is what is measured

namespace {

void work(std::uint64_t seed, long pairs) {
  constexpr std::size_t kLive = 1024;
  std::vector<void*> blocks(kLive, nullptr);
  for (long at = 0; at < pairs; ++at) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    void*& block = blocks[(seed >> 33U) % kLive];
    std::free(block);
    block = std::malloc(16 + (seed >> 50U) % 500);
    *static_cast<volatile char*>(block) = 1;
  }
  for (void* block : blocks) {
    std::free(block);
  }
}

}  // namespace

extern "C" void run_pairs(int count, long pairs) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int at = 0; at < count; ++at) {
    threads.emplace_back([=] { work(static_cast<std::uint64_t>(at) + 1, pairs); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// NOLINTEND(cppcoreguidelines-no-malloc)
