// From registers and a copy of the stack to the addresses of the calls, without
// frame pointers and outside of the target. A frame that has been seen costs one
// look-up in a table and two or three reads from the copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "symbols/registers.h"
#include "symbols/rule_source.h"
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

// One thread at a time.
class Unwinder {
 public:
  // `source` must outlive it.
  explicit Unwinder(RuleSource& source) : source_(source) {}

  // Fills `addresses` from the inside out: the pc itself, then an address inside
  // each call instruction (the return address less one), so that every one of
  // them can be given to Symbolizer as it is. `stack` begins at the sp of the
  // registers. Allocates nothing when every place has been seen and `addresses`
  // has room.
  StackEnd unwind(const Registers& registers, std::span<const std::byte> stack,
                  std::vector<std::uint64_t>& addresses);

 private:
  RuleSource& source_;
};

}  // namespace lowtide::symbols
