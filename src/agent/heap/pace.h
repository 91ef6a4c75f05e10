// How often to sample: every 512 KiB on average, less often in a process that
// allocates so much that this would be more than so many samples a second.

#pragma once

#include <atomic>
#include <cstdint>

namespace lowtide::agent {

inline constexpr std::uint64_t kBaseMeanBytes = 512U << 10U;
inline constexpr std::uint64_t kLeastMeanBytes = 8U << 10U;
inline constexpr std::uint64_t kMaxMeanBytes = 1ULL << 32U;
inline constexpr std::uint64_t kSamplesPerSecond = 2000;

class Pace {
 public:
  constexpr Pace() = default;
  constexpr Pace(std::uint64_t mean_bytes, std::uint64_t samples_per_second)
      : mean_bytes_(mean_bytes), base_bytes_(mean_bytes), limit_(samples_per_second) {}

  void set(std::uint64_t mean_bytes, std::uint64_t samples_per_second);

  [[nodiscard]] std::uint64_t mean_bytes() const { return mean_bytes_.load(std::memory_order_relaxed); }

  // One more sample was taken. `asked` is the limit that the monitor set, in samples per second; 0: none.
  void count(std::uint64_t now_ns, std::uint64_t asked);

  // At least so many samples per second, where the process allocates that often: with each of them the
  // interpreter can be asked for what it counts.
  void want(std::uint64_t samples_per_second) {
    wanted_.store(samples_per_second, std::memory_order_relaxed);
  }

  // A sample could not be written. Often the reader only had no processor for a moment, in which hundreds are
  // lost: so once a second it counts.
  void slow_down(std::uint64_t now_ns);

 private:
  [[nodiscard]] bool was_slowed(std::uint64_t now_ns) const;
  void change(std::uint64_t to_bytes, std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t least_bytes() const;

  std::atomic<std::uint64_t> mean_bytes_{kBaseMeanBytes};
  std::atomic<std::uint64_t> window_began_ns_{0};
  std::atomic<std::uint64_t> window_samples_{0};
  std::atomic<std::uint64_t> slowed_ns_{0};
  std::atomic<std::uint64_t> wanted_{0};  // samples per second
  std::uint64_t base_bytes_ = kBaseMeanBytes;
  std::uint64_t limit_ = kSamplesPerSecond;
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit Pace g_pace;

}  // namespace lowtide::agent
