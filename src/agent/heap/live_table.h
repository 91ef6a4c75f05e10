// Which sampled blocks are live: allocated and not freed.
//
// free() must answer "was this block sampled?" for every block of the program, and
// the answer is nearly always no. So first a filter of counters, one byte each,
// indexed so that neighbours in memory are neighbours in the filter: a small one that
// stays in the first cache, and where that says maybe, a large one.
// Only on a hit comes the table: buckets of seven slots in the memory file, where
// the monitor sees them. No lock: a slot is taken and given back by compare and swap.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wire/layout.h"

namespace lowtide::agent {

inline constexpr std::uint32_t kNearBits = 14;  // 16 KiB
inline constexpr std::uint32_t kFarBits = 18;   // 256 KiB

// NOLINTBEGIN(bugprone-dynamic-static-initializers): constinit
extern constinit std::atomic<std::uint8_t> g_near[1U << kNearBits];
extern constinit std::atomic<std::uint8_t> g_far[1U << kFarBits];
// NOLINTEND(bugprone-dynamic-static-initializers)

inline std::uint32_t near_index(std::uintptr_t address) {
  return static_cast<std::uint32_t>(address >> 4U) & ((1U << kNearBits) - 1);
}

inline std::uint32_t far_index(std::uintptr_t address) {
  const std::uintptr_t block = address >> 4U;
  return static_cast<std::uint32_t>(block ^ ((block >> kFarBits) * 0x9e37U)) & ((1U << kFarBits) - 1);
}

// False: certainly not sampled.
inline bool may_be_sampled(const void* block) {
  return g_near[near_index(reinterpret_cast<std::uintptr_t>(block))].load(std::memory_order_relaxed) != 0;
}

// The second look.
inline bool is_likely_sampled(const void* block) {
  return g_far[far_index(reinterpret_cast<std::uintptr_t>(block))].load(std::memory_order_relaxed) != 0;
}

// A slot that was taken out of sight of other threads, or none.
struct Detached {
  wire::Bucket* bucket = nullptr;
  std::uint32_t at = 0;
  std::uint32_t chunk = 0;

  explicit operator bool() const { return bucket != nullptr; }
};

class LiveTable {
 public:
  constexpr LiveTable() = default;

  // Over the memory file, of which the first `most_chunks` are mapped; false where there is no memory for the
  // first chunk.
  bool open(wire::Header* header, void* table, std::uint32_t most_chunks);

  // Forgets everything, without touching the file: it belongs to the parent process.
  void forget();

  // The number of the slot, or wire::kNoSlot where all is full.
  std::uint64_t insert(std::uintptr_t address, std::uint64_t sample, bool filtered);

  // Takes the slot of a block, for this thread alone to finish or to put back.
  Detached detach(std::uintptr_t address);

  // The block is gone.
  static void finish(Detached slot, std::uintptr_t address);

  // The block stays after all (a realloc that failed).
  void put_back(Detached slot, std::uintptr_t address);

  // Clears a slot that `insert` gave; for mappings, which are not found by address.
  void clear(std::uint64_t slot);

 private:
  bool grow(std::uint32_t chunk);
  std::uint64_t insert_into(std::uint32_t chunk, std::uintptr_t address, std::uint64_t sample);

  std::atomic<wire::Bucket*> chunks_[wire::kChunks]{};
  std::atomic<std::uint64_t> used_[wire::kChunks]{};
  std::atomic<std::uint32_t> growing_{0};
  std::atomic<std::uint32_t> chunk_count_{0};
  wire::Header* header_ = nullptr;
  char* table_ = nullptr;
  std::uint32_t most_chunks_ = wire::kChunks;
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit LiveTable g_live;

}  // namespace lowtide::agent
