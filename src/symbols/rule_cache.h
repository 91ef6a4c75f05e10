// The rules of the code addresses that were met. Many places have the same rule, which is kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "symbols/frame_rule.h"

namespace lowtide::symbols {

// Keeps at most 16 bytes for each of 2^18 addresses, then starts again.
class RuleCache {
 public:
  // nullptr: not met yet.
  [[nodiscard]] const FrameRule* find(std::uint64_t address) const;
  // Valid until the next call.
  const FrameRule& keep(std::uint64_t address, FrameRule rule);

 private:
  struct Slot {
    std::uint64_t address = 0;
    std::uint32_t rule = 0;
    bool used = false;
  };
  struct RuleHash {
    std::size_t operator()(const FrameRule& rule) const { return hash_of(rule); }
  };

  [[nodiscard]] std::size_t slot_of(std::uint64_t address) const;
  void grow();

  std::vector<Slot> slots_;
  std::size_t used_slots_ = 0;
  std::vector<FrameRule> rules_;
  std::unordered_map<FrameRule, std::uint32_t, RuleHash> numbers_;
};

}  // namespace lowtide::symbols
