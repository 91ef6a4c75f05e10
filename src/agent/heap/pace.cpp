#include "agent/heap/pace.h"

#include <algorithm>

namespace lowtide::agent {

constinit Pace g_pace;

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kWindowSamples = 64;  // so a burst is noticed after 64 samples, not after a second

}  // namespace

void Pace::set(std::uint64_t mean_bytes, std::uint64_t samples_per_second) {
  if (mean_bytes != 0) {
    base_bytes_ = std::min(mean_bytes, kMaxMeanBytes);
    mean_bytes_.store(base_bytes_, std::memory_order_relaxed);
  }
  if (samples_per_second != 0) {
    limit_ = samples_per_second;
  }
}

// Several threads may be in here at once; the worst that can come of it is a window
// of a wrong length. Every thread draws with the mean that it finds, and its samples
// carry weights of that mean, so the estimates stay right whatever the mean does.
void Pace::count(std::uint64_t now_ns, std::uint64_t asked) {
  const std::uint64_t samples = window_samples_.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::uint64_t began_ns = window_began_ns_.load(std::memory_order_relaxed);
  if (began_ns == 0) {
    window_began_ns_.store(now_ns, std::memory_order_relaxed);
    return;
  }
  const std::uint64_t passed_ns = std::max<std::uint64_t>(now_ns - began_ns, 1000);
  const std::uint64_t mean = mean_bytes();
  if (samples < kWindowSamples && passed_ns < kSecondNs) {
    return;
  }
  const std::uint64_t limit = asked == 0 ? limit_ : std::min(limit_, asked);
  const std::uint64_t rate = samples * kSecondNs / passed_ns;
  const std::uint64_t wanted = std::min(wanted_.load(std::memory_order_relaxed), limit / 2);
  if (rate > limit) {
    const std::uint64_t factor_64ths = std::min<std::uint64_t>(rate * 64 / limit, 512);
    change(std::max(mean + 1, mean * factor_64ths / 64), now_ns);
  } else if (rate < wanted && mean <= base_bytes_ && !was_slowed(now_ns)) {
    change(mean * std::max<std::uint64_t>(rate * 64 / wanted, 1) / 64, now_ns);
  } else if (rate > 2 * wanted && mean < base_bytes_) {
    change(mean * 2, now_ns);
  } else if (rate < limit / 2 && mean > base_bytes_ && !was_slowed(now_ns)) {
    const std::uint64_t factor_64ths = std::max<std::uint64_t>(rate * 96 / limit, 16);
    change(mean * factor_64ths / 64, now_ns);
  } else {
    change(mean, now_ns);
  }
}

void Pace::slow_down(std::uint64_t now_ns) {
  if (was_slowed(now_ns)) {
    return;
  }
  slowed_ns_.store(now_ns, std::memory_order_relaxed);
  mean_bytes_.store(std::min(mean_bytes() * 2, kMaxMeanBytes), std::memory_order_relaxed);
}

// In the second before.
bool Pace::was_slowed(std::uint64_t now_ns) const {
  return now_ns - slowed_ns_.load(std::memory_order_relaxed) < kSecondNs;
}

std::uint64_t Pace::least_bytes() const {
  const bool may_be_less = wanted_.load(std::memory_order_relaxed) != 0;
  return may_be_less ? std::min(kLeastMeanBytes, base_bytes_) : base_bytes_;
}

void Pace::change(std::uint64_t to_bytes, std::uint64_t now_ns) {
  mean_bytes_.store(std::clamp(to_bytes, least_bytes(), kMaxMeanBytes), std::memory_order_relaxed);
  window_samples_.store(0, std::memory_order_relaxed);
  window_began_ns_.store(now_ns, std::memory_order_relaxed);
}

}  // namespace lowtide::agent
