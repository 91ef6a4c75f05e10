#include "symbols/expression.h"

#include <dwarf.h>

#include <array>
#include <cstddef>

namespace lowtide::symbols {
namespace {

class Machine {
 public:
  Machine(const Registers& registers, const StackCopy& stack, std::uint64_t cfa)
      : registers_(registers), stack_(stack), cfa_(cfa) {}

  bool run(const ExpressionStep& step) {
    const unsigned operation = step.operation;
    if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31) {
      return push_register(operation - DW_OP_breg0, step.number);
    }
    if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31) {
      return push(operation - DW_OP_lit0);
    }
    switch (operation) {
      case DW_OP_nop:
      case DW_OP_stack_value:
        return true;
      case DW_OP_bregx:
        return push_register(step.number, step.number2);
      case DW_OP_call_frame_cfa:
        return push(cfa_);
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts:
        return push(step.number);
      case DW_OP_plus_uconst:
        return depth_ >= 1 && (values_[depth_ - 1] += step.number, true);
      case DW_OP_deref:
        return depth_ >= 1 && stack_.read(values_[depth_ - 1], values_[depth_ - 1]);
      case DW_OP_dup:
        return depth_ >= 1 && push(values_[depth_ - 1]);
      case DW_OP_drop:
        return depth_ >= 1 && (--depth_, true);
      default:
        return run_with_two(operation);
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> result() const {
    return depth_ >= 1 ? std::optional(values_[depth_ - 1]) : std::nullopt;
  }

 private:
  bool push(std::uint64_t value) {
    if (depth_ == values_.size()) {
      return false;
    }
    values_[depth_++] = value;
    return true;
  }

  bool push_register(std::uint64_t number, std::uint64_t offset) {
    // The program counter has the column of the return address on x86_64.
    if (registers_.arch == Arch::Amd64 && number == roles_of(Arch::Amd64).return_address) {
      return push(registers_.pc + offset);
    }
    return number < kRegisterCount && registers_.has(static_cast<unsigned>(number)) &&
           push(registers_.general[number] + offset);
  }

  bool run_with_two(unsigned operation) {
    if (depth_ < 2) {
      return false;
    }
    const std::uint64_t right = values_[depth_ - 1];
    std::uint64_t& left = values_[depth_ - 2];
    const auto signed_left = static_cast<std::int64_t>(left);
    const auto signed_right = static_cast<std::int64_t>(right);
    switch (operation) {
      case DW_OP_plus:
        left += right;
        break;
      case DW_OP_minus:
        left -= right;
        break;
      case DW_OP_and:
        left &= right;
        break;
      case DW_OP_or:
        left |= right;
        break;
      case DW_OP_shl:
        left = right < 64 ? left << right : 0;
        break;
      case DW_OP_shr:
        left = right < 64 ? left >> right : 0;
        break;
      case DW_OP_ge:
        left = signed_left >= signed_right ? 1 : 0;
        break;
      case DW_OP_gt:
        left = signed_left > signed_right ? 1 : 0;
        break;
      case DW_OP_le:
        left = signed_left <= signed_right ? 1 : 0;
        break;
      case DW_OP_lt:
        left = signed_left < signed_right ? 1 : 0;
        break;
      default:
        return false;
    }
    --depth_;
    return true;
  }

  const Registers& registers_;
  const StackCopy& stack_;
  std::uint64_t cfa_;
  std::array<std::uint64_t, 16> values_{};
  std::size_t depth_ = 0;
};

}  // namespace

std::optional<std::uint64_t> evaluate(std::span<const ExpressionStep> steps, const Registers& registers,
                                      const StackCopy& stack, std::uint64_t cfa) {
  Machine machine(registers, stack, cfa);
  for (const ExpressionStep& step : steps) {
    if (!machine.run(step)) {
      return std::nullopt;
    }
  }
  return machine.result();
}

}  // namespace lowtide::symbols
