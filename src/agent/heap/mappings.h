// Sampled mappings of memory, private and shared. They are not found by address as blocks are: munmap may
// take a part of one, or several at once, so they are kept in a short list.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wire/layout.h"

namespace lowtide::agent {

struct Mapping {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::uint64_t slot;
  std::uint64_t weight_bytes;
  wire::Source source;
};

// Of a mapping that was cut, what is left: to be written as a new sample.
struct Remains {
  static constexpr std::uint32_t kMax = 8;
  Mapping parts[kMax] = {};
  std::uint32_t count = 0;
};

class Mappings {
 public:
  constexpr Mappings() = default;

  [[nodiscard]] bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }

  // False where the list is full or busy.
  bool add(const Mapping& mapping);

  // The pages from begin to end are gone. Clears the slots of the mappings that were
  // there; what is left of them goes into `remains`.
  void remove(std::uintptr_t begin, std::uintptr_t end, Remains& remains);

  void forget();

 private:
  bool lock();
  void unlock() { busy_.store(0, std::memory_order_release); }

  static constexpr std::uint32_t kMax = 2048;

  std::atomic<std::uint32_t> busy_{0};
  std::atomic<std::uint32_t> count_{0};
  Mapping list_[kMax] = {};
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit Mappings g_mappings;

}  // namespace lowtide::agent
