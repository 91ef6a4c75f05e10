// Address -> names, kept for as long as the monitor lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "symbols/address_space.h"
#include "symbols/source_frame.h"

namespace lowtide::symbols {

// One thread at a time. What it learnt in one process it knows in all that run
// the same file: kept per image (one build-id is one image) and address.
class Symbolizer {
 public:
  // The frames at one address as Unwinder gives it, from the inside out, never
  // empty. A return address that somebody else collected needs less one, or the
  // line may be that of the next statement. The reference holds until the next call.
  const std::vector<SourceFrame>& symbolize(AddressSpace& space, std::uint64_t address);

  // The same for a whole stack, inlined frames in their places.
  std::vector<SourceFrame> symbolize(AddressSpace& space, const std::vector<std::uint64_t>& addresses);

 private:
  struct Key {
    std::uint64_t image = 0;
    std::uint64_t address = 0;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return (key.image << 48U) ^ (key.address * 0x9E3779B97F4A7C15U);
    }
  };

  std::unordered_map<Key, std::vector<SourceFrame>, KeyHash> known_;
  std::vector<SourceFrame> unnamed_;
};

}  // namespace lowtide::symbols
