#include "agent/heap/mappings.h"

#include "agent/heap/channel.h"
#include "agent/heap/live_table.h"

namespace lowtide::agent {

constinit Mappings g_mappings;

// The holder is done within a few thousand cycles. One that is not was stopped in the
// middle or is gone (a signal handler that jumped out): then nobody can have the list
// again, and the agent ends here rather than wait.
bool Mappings::lock() {
  constexpr int kTries = 1'000'000;
  for (int tries = 0; tries < kTries; ++tries) {
    if (busy_.load(std::memory_order_relaxed) == 0 && busy_.exchange(1, std::memory_order_acquire) == 0) {
      return true;
    }
  }
  switch_off(wire::OffReason::Confused);
  return false;
}

bool Mappings::add(const Mapping& mapping) {
  if (!lock()) {
    return false;
  }
  const std::uint32_t count = count_.load(std::memory_order_relaxed);
  const bool fits = count < kMax;
  if (fits) {
    list_[count] = mapping;
    count_.store(count + 1, std::memory_order_relaxed);
  }
  unlock();
  return fits;
}

void Mappings::remove(std::uintptr_t begin, std::uintptr_t end, Remains& remains) {
  if (empty() || !lock()) {
    return;
  }
  std::uint32_t count = count_.load(std::memory_order_relaxed);
  for (std::uint32_t at = 0; at < count;) {
    const Mapping mapping = list_[at];
    if (begin >= mapping.end || end <= mapping.begin) {
      ++at;
      continue;
    }
    // Head and tail are cut off by those who want their memory aligned.
    const double share =
        static_cast<double>(mapping.weight_bytes) / static_cast<double>(mapping.end - mapping.begin);
    const Mapping parts[] = {{mapping.begin, begin, 0, 0, mapping.source},
                             {end, mapping.end, 0, 0, mapping.source}};
    for (const Mapping& part : parts) {
      if (part.begin < part.end && remains.count < Remains::kMax) {
        const double weight = share * static_cast<double>(part.end - part.begin);
        remains.parts[remains.count++] = {part.begin, part.end, 0, static_cast<std::uint64_t>(weight),
                                          part.source};
      }
    }
    g_live.clear(mapping.slot);
    header()->agent.frees.fetch_add(1, std::memory_order_relaxed);
    list_[at] = list_[--count];
  }
  count_.store(count, std::memory_order_relaxed);
  unlock();
}

void Mappings::forget() {
  count_.store(0, std::memory_order_relaxed);
  busy_.store(0, std::memory_order_relaxed);
}

}  // namespace lowtide::agent
