// Which addresses are objects that were seen, which of them more than once, and a number for each of those.
//
// Two bits for 16 bytes of address space: no two objects share them, since the smallest has 16.
// For a heap of small objects that is a byte an object where a hash table takes fifteen,
// and it stays in the cache. The number is that of the second bit among all set ones, in order of
// addresses, found by a count beside every 64 bits.

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/walk/bits.h"

namespace lowtide::agent {

class ObjectMap {
 public:
  bool begin();

  // True when it was not known before. Must not be called after number_all, nor must meet().
  bool add(const void* object) { return enter(object, false); }
  // The same for one that another object refers to: if it was known before, it counts as met again.
  bool meet(const void* object) { return enter(object, true); }

  // How many were met again.
  std::uint32_t number_all();

  // After number_all, from 0; kUnknown for what was not met again.
  static constexpr std::uint32_t kUnknown = ~0U;
  std::uint32_t number_of(const void* object) const {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    const Region* region = find_region(address);
    if (region == nullptr) {
      return kUnknown;
    }
    const std::uintptr_t place = (address & kRegionMask) >> kGranuleShift;
    const std::uintptr_t word = place / 64U;
    const std::uint64_t bit = 1ULL << (place % 64U);
    if ((region->again[word] & bit) == 0) {
      return kUnknown;
    }
    return region->before[word] + count_bits(region->again[word] & (bit - 1));
  }

  // A place could not be remembered for want of memory.
  [[nodiscard]] bool is_short_of_memory() const { return short_of_memory_; }

 private:
  static constexpr unsigned kGranuleShift = 4;
  static constexpr unsigned kRegionShift = 18;
  static constexpr unsigned kFolderShift = 30;
  static constexpr unsigned kAddressBits = 48;
  static constexpr std::uintptr_t kRegionMask = (1ULL << kRegionShift) - 1;
  static constexpr std::size_t kWords = (1ULL << (kRegionShift - kGranuleShift)) / 64;
  static constexpr std::size_t kRegionsOfFolder = 1ULL << (kFolderShift - kRegionShift);
  static constexpr std::size_t kFolders = 1ULL << (kAddressBits - kFolderShift);

  struct Region {
    std::uint64_t seen[kWords];
    std::uint64_t again[kWords];
    std::uint32_t before[kWords];  // bits of `again` in all earlier words
  };
  struct Folder {
    Region* regions[kRegionsOfFolder];
  };

  bool enter(const void* object, bool is_met) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    Region* region = region_of(address);
    if (region == nullptr) {
      return false;
    }
    const std::uintptr_t place = (address & kRegionMask) >> kGranuleShift;
    const std::uint64_t bit = 1ULL << (place % 64U);
    std::uint64_t& word = region->seen[place / 64U];
    if ((word & bit) != 0) {
      region->again[place / 64U] |= is_met ? bit : 0;
      return false;
    }
    word |= bit;
    return true;
  }

  const Region* find_region(std::uintptr_t address) const {
    if ((address >> kAddressBits) != 0) {
      return nullptr;
    }
    const Folder* folder = folders_[address >> kFolderShift];
    return folder == nullptr ? nullptr : folder->regions[(address >> kRegionShift) % kRegionsOfFolder];
  }

  Region* region_of(std::uintptr_t address) {
    const std::uintptr_t wanted = address >> kRegionShift;
    if (wanted == last_wanted_) {
      return last_;
    }
    return look_up(address);
  }

  Region* look_up(std::uintptr_t address);

  Folder** folders_ = nullptr;
  Region* last_ = nullptr;
  std::uintptr_t last_wanted_ = ~0UL;
  bool short_of_memory_ = false;
};

}  // namespace lowtide::agent
