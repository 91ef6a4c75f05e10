#include "agent/heap/live_table.h"

#include "agent/heap/memory.h"
#include "agent/heap/system_call.h"

namespace lowtide::agent {

constinit std::atomic<std::uint8_t> g_near[1U << kNearBits] = {};
constinit std::atomic<std::uint8_t> g_far[1U << kFarBits] = {};
constinit LiveTable g_live;

namespace {

constexpr std::uint64_t kTaken = 1;  // no address: a thread is at work on this slot
constexpr std::uint32_t kProbes = 4;

std::uint64_t bucket_index(std::uintptr_t address, std::uint64_t buckets, std::uint32_t probe) {
  const std::uint64_t mixed = (static_cast<std::uint64_t>(address) >> 4U) * 0x9e3779b97f4a7c15ULL;
  return ((mixed >> 32U) + probe) & (buckets - 1);
}

// Counters stick at 255: such a one answers "maybe" for ever, which costs time, not truth.
void add_one(std::atomic<std::uint8_t>& counter) {
  std::uint8_t seen = counter.load(std::memory_order_relaxed);
  while (seen != 255 && !counter.compare_exchange_weak(seen, static_cast<std::uint8_t>(seen + 1),
                                                       std::memory_order_relaxed)) {
  }
}

void take_one(std::atomic<std::uint8_t>& counter) {
  std::uint8_t seen = counter.load(std::memory_order_relaxed);
  while (
      seen != 255 && seen != 0 &&
      !counter.compare_exchange_weak(seen, static_cast<std::uint8_t>(seen - 1), std::memory_order_relaxed)) {
  }
}

template <std::size_t size>
void clear_counters(std::atomic<std::uint8_t> (&counters)[size]) {
  for (auto& counter : counters) {
    if (counter.load(std::memory_order_relaxed) != 0) {  // leaves untouched pages shared
      counter.store(0, std::memory_order_relaxed);
    }
  }
}

}  // namespace

bool LiveTable::open(wire::Header* header, void* table, std::uint32_t most_chunks) {
  header_ = header;
  most_chunks_ = most_chunks;
  table_ = static_cast<char*>(table);
  return grow(0);
}

void LiveTable::forget() {
  chunk_count_.store(0, std::memory_order_relaxed);
  for (std::uint32_t chunk = 0; chunk < wire::kChunks; ++chunk) {
    chunks_[chunk].store(nullptr, std::memory_order_relaxed);
    used_[chunk].store(0, std::memory_order_relaxed);
  }
  growing_.store(0, std::memory_order_relaxed);
  clear_counters(g_near);
  clear_counters(g_far);
}

bool LiveTable::grow(std::uint32_t chunk) {
  if (chunk >= most_chunks_ || growing_.exchange(1, std::memory_order_acquire) != 0) {
    return false;
  }
  bool grown = chunk < chunk_count_.load(std::memory_order_relaxed);
  if (!grown) {
    char* begin = table_ + wire::chunk_offset(chunk);
    grown = populate(begin, wire::chunk_buckets(chunk) * sizeof(wire::Bucket));
    if (grown) {
      chunks_[chunk].store(reinterpret_cast<wire::Bucket*>(begin), std::memory_order_relaxed);
      chunk_count_.store(chunk + 1, std::memory_order_release);
      header_->agent.chunks.store(chunk + 1, std::memory_order_release);
    }
  }
  growing_.store(0, std::memory_order_release);
  return grown;
}

std::uint64_t LiveTable::insert_into(std::uint32_t chunk, std::uintptr_t address, std::uint64_t sample) {
  wire::Bucket* buckets = chunks_[chunk].load(std::memory_order_relaxed);
  const std::uint64_t count = wire::chunk_buckets(chunk);
  for (std::uint32_t probe = 0; probe < kProbes; ++probe) {
    const std::uint64_t index = bucket_index(address, count, probe);
    wire::Bucket& bucket = buckets[index];
    for (std::uint32_t at = 0; at < wire::kSlotsPerBucket; ++at) {
      std::uint64_t empty = 0;
      if (bucket.address[at].load(std::memory_order_relaxed) == 0 &&
          bucket.address[at].compare_exchange_strong(empty, kTaken, std::memory_order_acquire)) {
        bucket.sample[at].store(sample, std::memory_order_relaxed);
        bucket.address[at].store(address, std::memory_order_release);
        return wire::make_slot(chunk, index, at);
      }
    }
    // From now on a search that comes here goes on to the next bucket.
    bucket.overflowed.store(1, std::memory_order_release);
  }
  return wire::kNoSlot;
}

std::uint64_t LiveTable::insert(std::uintptr_t address, std::uint64_t sample, bool filtered) {
  std::uint64_t slot = wire::kNoSlot;
  for (std::uint32_t chunk = 0; chunk < wire::kChunks && slot == wire::kNoSlot; ++chunk) {
    if (chunk >= chunk_count_.load(std::memory_order_acquire) && !grow(chunk)) {
      break;
    }
    // A chunk that is three quarters full is left alone: its searches would get long.
    if (used_[chunk].load(std::memory_order_relaxed) <
        wire::chunk_buckets(chunk) * wire::kSlotsPerBucket / 4 * 3) {
      slot = insert_into(chunk, address, sample);
      if (slot != wire::kNoSlot) {
        used_[chunk].fetch_add(1, std::memory_order_relaxed);
      }
    }
  }
  if (slot != wire::kNoSlot && filtered) {
    add_one(g_far[far_index(address)]);
    add_one(g_near[near_index(address)]);
  }
  return slot;
}

Detached LiveTable::detach(std::uintptr_t address) {
  const std::uint32_t chunks = chunk_count_.load(std::memory_order_acquire);
  for (std::uint32_t chunk = 0; chunk < chunks && chunk < wire::kChunks; ++chunk) {
    wire::Bucket* buckets = chunks_[chunk].load(std::memory_order_relaxed);
    for (std::uint32_t probe = 0; probe < kProbes; ++probe) {
      wire::Bucket& bucket = buckets[bucket_index(address, wire::chunk_buckets(chunk), probe)];
      for (std::uint32_t at = 0; at < wire::kSlotsPerBucket; ++at) {
        std::uint64_t expected = address;
        if (bucket.address[at].load(std::memory_order_relaxed) == address &&
            bucket.address[at].compare_exchange_strong(expected, kTaken, std::memory_order_acquire)) {
          used_[chunk].fetch_sub(1, std::memory_order_relaxed);
          return {&bucket, at, chunk};
        }
      }
      if (bucket.overflowed.load(std::memory_order_acquire) == 0) {
        break;
      }
    }
  }
  return {};
}

void LiveTable::finish(Detached slot, std::uintptr_t address) {
  slot.bucket->sample[slot.at].store(0, std::memory_order_release);
  slot.bucket->address[slot.at].store(0, std::memory_order_release);
  take_one(g_near[near_index(address)]);
  take_one(g_far[far_index(address)]);
}

void LiveTable::put_back(Detached slot, std::uintptr_t address) {
  used_[slot.chunk].fetch_add(1, std::memory_order_relaxed);
  slot.bucket->address[slot.at].store(address, std::memory_order_release);
}

void LiveTable::clear(std::uint64_t slot) {
  const auto chunk = static_cast<std::uint32_t>(slot >> 56U);
  const std::uint64_t index = (slot >> 8U) & 0xffffffffffffULL;
  const auto at = static_cast<std::uint32_t>(slot & 0xffU);
  if (chunk >= chunk_count_.load(std::memory_order_acquire) || index >= wire::chunk_buckets(chunk) ||
      at >= wire::kSlotsPerBucket) {
    return;
  }
  wire::Bucket& bucket = chunks_[chunk].load(std::memory_order_relaxed)[index];
  bucket.sample[at].store(0, std::memory_order_release);
  bucket.address[at].store(0, std::memory_order_release);
  used_[chunk].fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace lowtide::agent
