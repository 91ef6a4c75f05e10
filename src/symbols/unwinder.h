// From registers and a copy of the stack to the addresses of the calls, without
// frame pointers and outside of the target.
//
// Walking .eh_frame anew for each frame costs microseconds. But a job allocates
// from the same places over and over, so the rule of each place is made once
// (RuleSource) and kept by its address; a frame that has been seen costs one
// look-up in a table and two or three reads from the copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbols/frame_rule.h"
#include "symbols/registers.h"
#include "symbols/stack_copy.h"

namespace lowtide::symbols {

// Why a walk ended. Everything but Outermost is a truncated stack.
enum class StackEnd : std::uint8_t {
  Outermost,     // whole: the first function of the thread
  CopyEnded,     // the rest of the stack was not copied
  NoRule,        // code without unwind information, and no plausible frame pointer
  UnknownCode,   // an address where no code is mapped
  StepLimit,     // more than kMostFrames
  NoProgress,    // the next frame would not lie above: a cycle or nonsense
  LostRegister,  // the rule needs a register that was not captured
};

std::string_view to_word(StackEnd end);

inline constexpr std::size_t kMostFrames = 256;

// Belongs to one process: after an exec or when its maps have changed, forget().
// One thread at a time. Keeps at most 16 bytes for each of 2^18 addresses, then
// begins anew.
class Unwinder {
 public:
  // `source` must outlive it.
  explicit Unwinder(RuleSource& source);

  // Fills `addresses` from the inside out: the pc itself, then an address inside
  // each call instruction (the return address less one), so that every one of
  // them can be given to Symbolizer as it is. `stack` begins at the sp of the
  // registers. Allocates nothing when every place has been seen and `addresses`
  // has room.
  StackEnd unwind(const Registers& registers, std::span<const std::byte> stack,
                  std::vector<std::uint64_t>& addresses);

  void forget();

 private:
  struct Slot {
    std::uint64_t address = 0;
    std::uint32_t rule = 0;
    bool used = false;
  };
  struct RuleHash {
    std::size_t operator()(const FrameRule& rule) const { return hash_of(rule); }
  };

  const FrameRule& rule_at(Arch arch, std::uint64_t address);
  const FrameRule& learn(Arch arch, std::uint64_t address);
  Slot& slot_of(std::uint64_t address);
  void grow();

  RuleSource& source_;
  std::vector<Slot> slots_;
  std::size_t used_slots_ = 0;
  std::vector<FrameRule> rules_;
  std::unordered_map<FrameRule, std::uint32_t, RuleHash> numbers_;
};

}  // namespace lowtide::symbols
