// The writing end of the ring: many threads, no lock. Room is reserved by compare and
// swap, filled, and committed by one store; the reader stops at the first record
// that is not committed.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wire/layout.h"

namespace lowtide::agent {

// Room in the ring; `at` is null where there was none.
struct Reserved {
  char* at = nullptr;
  std::uint64_t position = 0;
  std::uint32_t bytes = 0;

  explicit operator bool() const { return at != nullptr; }
};

class Ring {
 public:
  constexpr Ring() = default;

  // `data` is mapped twice in a row, so that no record has to be cut in two.
  void open(wire::Header* header, void* data) {
    header_ = header;
    data_ = static_cast<char*>(data);
    head_.store(0, std::memory_order_release);
  }

  // `bytes` is rounded up to 8.
  Reserved reserve(std::size_t bytes) {
    const std::uint64_t rounded = (bytes + 7) & ~7ULL;
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      // A reader that lies about its position makes the ring look full, no more.
      const std::uint64_t unread = head - header_->monitor.tail.load(std::memory_order_acquire);
      if (rounded > wire::kMaxRecordBytes || unread > wire::kRingBytes - rounded) {
        return {};
      }
    } while (!head_.compare_exchange_weak(head, head + rounded, std::memory_order_relaxed));
    return {data_ + (head & (wire::kRingBytes - 1)), head, static_cast<std::uint32_t>(rounded)};
  }

  static void commit(const Reserved& room) {
    // Through the first mapping or the second: the same memory.
    auto* word = reinterpret_cast<std::uint64_t*>(room.at);
    std::atomic_ref<std::uint64_t>(*word).store(wire::commit_word(room.position), std::memory_order_release);
  }

 private:
  std::atomic<std::uint64_t> head_{0};
  wire::Header* header_ = nullptr;
  char* data_ = nullptr;
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
extern constinit Ring g_ring;

}  // namespace lowtide::agent
