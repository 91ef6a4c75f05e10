// How to get from one frame to its caller at one place in the code: what the
// compiler wrote into .eh_frame, reduced to the few words that a walk needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "symbols/registers.h"

namespace lowtide::symbols {

// One step of a DWARF expression.
struct ExpressionStep {
  std::uint8_t operation = 0;
  std::uint64_t number = 0;
  std::uint64_t number2 = 0;

  friend bool operator==(const ExpressionStep&, const ExpressionStep&) = default;
};

enum class Where : std::uint8_t {
  AtCfa,         // in memory at CFA + offset
  CfaPlus,       // is CFA + offset
  InRegister,    // in register number `offset`
  AtExpression,  // in memory where steps[offset..] say
  IsExpression,  // is what steps[offset..] say
  Lost,
};

struct Saved {
  std::uint8_t number = 0;
  Where where = Where::Lost;
  std::uint8_t step_count = 0;
  std::int32_t offset = 0;

  friend bool operator==(const Saved&, const Saved&) = default;
};

struct FrameRule {
  enum class Kind : std::uint8_t {
    RegisterOffset,  // CFA = register + offset: nearly all code
    Expression,      // CFA = steps[0..]: PLT, realigned stacks, hand-written assembly
    SignalFrame,     // the kernel left all registers on the stack
    Outermost,       // nobody called this: _start, the first function of a thread
    NoRule,          // code without unwind information: perhaps it keeps a frame pointer
    NoCode,          // no executable mapping
  };
  // Callee-saved registers, at most: rbx, rbp, r12..r15; x19..x29 and the link register.
  static constexpr std::size_t kMostSaved = 12;

  Kind kind = Kind::NoCode;
  std::uint8_t cfa_register = 0;
  std::uint8_t cfa_step_count = 0;
  std::uint8_t saved_count = 0;
  std::int32_t cfa_offset = 0;
  Saved return_address{};
  std::array<Saved, kMostSaved> saved{};
  std::vector<ExpressionStep> steps{};

  friend bool operator==(const FrameRule&, const FrameRule&) = default;
};

std::size_t hash_of(const FrameRule& rule);

}  // namespace lowtide::symbols
