#include "symbols/unwinder.h"

#include <array>
#include <optional>

#include "symbols/expression.h"

namespace lowtide::symbols {
namespace {

// User space has 48 bits of address on aarch64; what stands above in a return
// address is its signature (pointer authentication) or a tag.
constexpr std::uint64_t kAarch64AddressMask = (std::uint64_t{1} << 48U) - 1;

std::uint64_t strip(Arch arch, std::uint64_t address) {
  return arch == Arch::Aarch64 ? address & kAarch64AddressMask : address;
}

struct StepResult {
  std::optional<StackEnd> end;
  bool is_call = true;  // false behind a signal: the pc is exact
};

StepResult ended(StackEnd end) {
  return {.end = end};
}

// Offsets of the registers from sp at the kernel's signal trampoline (ucontext_t
// behind siginfo on aarch64, before it on x86_64), in the order of the context.
constexpr std::uint64_t kX86ContextBytes = 40;
constexpr std::array<std::uint8_t, 16> kX86ContextOrder = {8, 9, 10, 11, 12, 13, 14, 15,
                                                           5, 4, 6,  3,  1,  0,  2,  7};
constexpr std::uint64_t kAarch64ContextBytes = 312;

StepResult step_out_of_signal(Registers& registers, const StackCopy& stack) {
  const Arch arch = registers.arch;
  Registers next{.arch = arch};
  std::uint64_t at = registers.sp() + (arch == Arch::Amd64 ? kX86ContextBytes : kAarch64ContextBytes);
  const std::size_t count = arch == Arch::Amd64 ? kX86ContextOrder.size() : kRegisterCount;
  for (unsigned index = 0; index < count; ++index, at += 8) {
    std::uint64_t value = 0;
    if (!stack.read(at, value)) {
      return ended(StackEnd::CopyEnded);
    }
    next.set(arch == Arch::Amd64 ? kX86ContextOrder[index] : index, value);
  }
  if (!stack.read(at, next.pc)) {
    return ended(StackEnd::CopyEnded);
  }
  // A handler that runs on a stack of its own (sigaltstack) may lie anywhere;
  // on the same stack the interrupted frame is above.
  registers = next;
  return {.end = std::nullopt, .is_call = false};
}

// Frame pointer and return address lie side by side, on both architectures.
StepResult step_by_frame_pointer(Registers& registers, const StackCopy& stack) {
  const RegisterRoles roles = roles_of(registers.arch);
  const std::uint64_t fp = registers.fp();
  std::uint64_t next_fp = 0;
  std::uint64_t next_pc = 0;
  if (!registers.has(roles.fp) || fp < registers.sp() || fp % 8 != 0 || !stack.read(fp, next_fp) ||
      !stack.read(fp + 8, next_pc) || (next_fp != 0 && next_fp <= fp)) {
    return ended(StackEnd::NoRule);
  }
  const std::uint64_t sp = fp + 16;
  registers.known = 0;
  registers.set(roles.sp, sp);
  registers.set(roles.fp, next_fp);
  registers.pc = strip(registers.arch, next_pc);
  return {};
}

class RuleStep {
 public:
  RuleStep(const FrameRule& rule, const Registers& registers, const StackCopy& stack)
      : rule_(rule), registers_(registers), stack_(stack) {}

  std::optional<StackEnd> find_cfa() {
    if (rule_.kind == FrameRule::Kind::RegisterOffset) {
      if (!registers_.has(rule_.cfa_register)) {
        return StackEnd::LostRegister;
      }
      cfa_ =
          registers_.general[rule_.cfa_register] + static_cast<std::uint64_t>(std::int64_t{rule_.cfa_offset});
      return std::nullopt;
    }
    const auto value = evaluate(steps(0, rule_.cfa_step_count), registers_, stack_, 0);
    if (!value) {
      return StackEnd::LostRegister;
    }
    cfa_ = *value;
    return std::nullopt;
  }

  // False where it is lost; CopyEnded shows the caller why.
  bool read(const Saved& saved, std::uint64_t& into) const {
    const auto offset = static_cast<std::uint64_t>(std::int64_t{saved.offset});
    switch (saved.where) {
      case Where::AtCfa:
        return stack_.read(cfa_ + offset, into);
      case Where::CfaPlus:
        into = cfa_ + offset;
        return true;
      case Where::InRegister: {
        const auto number = static_cast<unsigned>(saved.offset);
        if (!registers_.has(number)) {
          return false;
        }
        into = registers_.general[number];
        return true;
      }
      case Where::AtExpression:
      case Where::IsExpression: {
        const auto value = evaluate(steps(static_cast<std::size_t>(saved.offset), saved.step_count),
                                    registers_, stack_, cfa_);
        if (!value) {
          return false;
        }
        into = *value;
        return saved.where == Where::IsExpression || stack_.read(*value, into);
      }
      case Where::Lost:
        return false;
    }
    return false;
  }

  [[nodiscard]] std::uint64_t cfa() const { return cfa_; }

 private:
  [[nodiscard]] std::span<const ExpressionStep> steps(std::size_t first, std::size_t count) const {
    return std::span(rule_.steps).subspan(first, count);
  }

  const FrameRule& rule_;
  const Registers& registers_;
  const StackCopy& stack_;
  std::uint64_t cfa_ = 0;
};

StepResult step_by_rule(const FrameRule& rule, Registers& registers, const StackCopy& stack, bool is_first) {
  RuleStep step(rule, registers, stack);
  if (const auto end = step.find_cfa()) {
    return ended(*end);
  }
  // Only a leaf on aarch64 has a frame of no bytes: the return address is in x30.
  const bool may_be_empty = is_first && rule.return_address.where == Where::InRegister;
  if (step.cfa() < registers.sp() || (step.cfa() == registers.sp() && !may_be_empty)) {
    return ended(StackEnd::NoProgress);
  }
  std::uint64_t return_address = 0;
  if (!step.read(rule.return_address, return_address)) {
    return ended(rule.return_address.where == Where::AtCfa ? StackEnd::CopyEnded : StackEnd::LostRegister);
  }
  // All are read before any is written: a rule may name registers of this frame.
  std::array<std::uint64_t, FrameRule::kMostSaved> values{};
  std::uint32_t lost = 0;
  for (std::size_t index = 0; index < rule.saved_count; ++index) {
    if (!step.read(rule.saved[index], values[index])) {
      lost |= 1U << rule.saved[index].number;
    }
  }
  for (std::size_t index = 0; index < rule.saved_count; ++index) {
    registers.set(rule.saved[index].number, values[index]);
  }
  registers.known &= ~lost;
  registers.set(roles_of(registers.arch).sp, step.cfa());
  registers.pc = strip(registers.arch, return_address);
  return {};
}

}  // namespace

std::string_view to_word(StackEnd end) {
  switch (end) {
    case StackEnd::Outermost:
      return "whole";
    case StackEnd::CopyEnded:
      return "the copy of the stack ended";
    case StackEnd::NoRule:
      return "no unwind information";
    case StackEnd::UnknownCode:
      return "unknown code";
    case StackEnd::StepLimit:
      return "too many frames";
    case StackEnd::NoProgress:
      return "the frame addresses do not increase";
    case StackEnd::LostRegister:
      return "a register is missing";
  }
  return "unknown";
}

StackEnd Unwinder::unwind(const Registers& registers, std::span<const std::byte> stack,
                          std::vector<std::uint64_t>& addresses) {
  addresses.clear();
  Registers frame = registers;
  frame.pc = strip(frame.arch, frame.pc);
  const StackCopy copy(frame.sp(), stack);
  bool is_call = false;
  for (bool is_first = true; addresses.size() < kMostFrames; is_first = false) {
    if (frame.pc == 0) {
      return StackEnd::Outermost;  // what the kernel and pthreads put at the top
    }
    const std::uint64_t address = frame.pc - (is_call ? 1 : 0);
    const FrameRule& rule = source_.rule_at(frame.arch, address);
    if (rule.kind == FrameRule::Kind::NoCode) {
      return StackEnd::UnknownCode;
    }
    addresses.push_back(address);
    StepResult result;
    switch (rule.kind) {
      case FrameRule::Kind::Outermost:
        return StackEnd::Outermost;
      case FrameRule::Kind::SignalFrame:
        result = step_out_of_signal(frame, copy);
        break;
      case FrameRule::Kind::NoRule:
        result = step_by_frame_pointer(frame, copy);
        break;
      default:
        result = step_by_rule(rule, frame, copy, is_first || !is_call);
        break;
    }
    if (result.end) {
      return *result.end;
    }
    is_call = result.is_call;
  }
  return StackEnd::StepLimit;
}

}  // namespace lowtide::symbols
