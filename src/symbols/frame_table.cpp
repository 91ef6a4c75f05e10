// elfutils interprets the byte code of .eh_frame and gives an expression for the
// CFA and for each register. Almost all of them are "register + offset" and "at
// CFA + offset"; those become plain numbers, the others are kept as they are.
#include "symbols/frame_table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>

namespace lowtide::symbols {
namespace {

constexpr std::size_t kMostSteps = 64;

struct FreeFrame {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): elfutils allocates by malloc
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};

constexpr std::array<std::uint8_t, 6> kX86Kept = {3, 6, 12, 13, 14, 15};
constexpr std::array<std::uint8_t, 12> kAarch64Kept = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};

std::span<const std::uint8_t> callee_saved(Arch arch) {
  return arch == Arch::Amd64 ? std::span<const std::uint8_t>(kX86Kept) : kAarch64Kept;
}

bool fits(std::int64_t offset) {
  return offset >= std::numeric_limits<std::int32_t>::min() &&
         offset <= std::numeric_limits<std::int32_t>::max();
}

bool add_steps(std::span<const Dwarf_Op> operations, FrameRule& rule) {
  if (rule.steps.size() + operations.size() > kMostSteps) {
    return false;
  }
  for (const Dwarf_Op& operation : operations) {
    rule.steps.push_back({operation.atom, operation.number, operation.number2});
  }
  return true;
}

bool set_cfa(std::span<const Dwarf_Op> operations, FrameRule& rule) {
  if (operations.empty()) {
    return false;
  }
  const Dwarf_Op& first = operations.front();
  const bool is_numbered = first.atom >= DW_OP_breg0 && first.atom <= DW_OP_breg31;
  if (operations.size() == 1 && (is_numbered || first.atom == DW_OP_bregx)) {
    const std::uint64_t number = is_numbered ? first.atom - std::uint64_t{DW_OP_breg0} : first.number;
    const auto offset = static_cast<std::int64_t>(is_numbered ? first.number : first.number2);
    if (number >= kRegisterCount || !fits(offset)) {
      return false;
    }
    rule.kind = FrameRule::Kind::RegisterOffset;
    rule.cfa_register = static_cast<std::uint8_t>(number);
    rule.cfa_offset = static_cast<std::int32_t>(offset);
    return true;
  }
  if (!add_steps(operations, rule)) {
    return false;
  }
  rule.kind = FrameRule::Kind::Expression;
  rule.cfa_step_count = static_cast<std::uint8_t>(operations.size());
  return true;
}

Saved make_expression(std::span<const Dwarf_Op> operations, Where where, FrameRule& rule) {
  Saved saved{.where = where};
  saved.offset = static_cast<std::int32_t>(rule.steps.size());
  saved.step_count = static_cast<std::uint8_t>(operations.size());
  return add_steps(operations, rule) ? saved : Saved{};
}

Saved make_saved(std::span<const Dwarf_Op> operations, FrameRule& rule) {
  const Dwarf_Op& first = operations.front();
  const bool is_value = operations.back().atom == DW_OP_stack_value;
  if (operations.size() == 1 && first.atom >= DW_OP_reg0 && first.atom <= DW_OP_reg31) {
    return {.where = Where::InRegister, .offset = first.atom - DW_OP_reg0};
  }
  if (operations.size() == 1 && first.atom == DW_OP_regx && first.number < kRegisterCount) {
    return {.where = Where::InRegister, .offset = static_cast<std::int32_t>(first.number)};
  }
  const std::size_t count = operations.size() - (is_value ? 1 : 0);
  if (first.atom == DW_OP_call_frame_cfa &&
      (count == 1 || (count == 2 && operations[1].atom == DW_OP_plus_uconst))) {
    const auto offset = count == 2 ? static_cast<std::int64_t>(operations[1].number) : 0;
    if (fits(offset)) {
      return {.where = is_value ? Where::CfaPlus : Where::AtCfa, .offset = static_cast<std::int32_t>(offset)};
    }
  }
  return make_expression(operations, is_value ? Where::IsExpression : Where::AtExpression, rule);
}

enum class Fate { Same, Undefined, Saved, Unknown };

// What becomes of one register on the way to the caller.
Fate find_fate(Dwarf_Frame* frame, unsigned number, FrameRule& rule, Saved& saved) {
  std::array<Dwarf_Op, 3> memory{};
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_register(frame, static_cast<int>(number), memory.data(), &operations, &count) != 0) {
    return Fate::Unknown;
  }
  if (count == 0) {
    return operations == nullptr ? Fate::Same : Fate::Undefined;
  }
  saved = make_saved({operations, count}, rule);
  saved.number = static_cast<std::uint8_t>(number);
  return Fate::Saved;
}

void set_saved_registers(Dwarf_Frame* frame, Arch arch, FrameRule& rule) {
  for (const unsigned number : callee_saved(arch)) {
    Saved saved;
    if (find_fate(frame, number, rule, saved) == Fate::Saved) {
      rule.saved[rule.saved_count++] = saved;
    }
  }
}

// False: nobody called this function.
bool set_return_address(Dwarf_Frame* frame, Arch arch, unsigned column, FrameRule& rule) {
  Saved saved;
  const Fate fate = find_fate(frame, column, rule, saved);
  if (arch == Arch::Aarch64 && fate == Fate::Same) {
    rule.return_address = {.where = Where::InRegister, .offset = static_cast<std::int32_t>(column)};
    return true;
  }
  rule.return_address = saved;
  return fate == Fate::Saved;
}

}  // namespace

void FrameTable::End::operator()(Dwarf_CFI_s* table) const {
  dwarf_cfi_end(table);
}

FrameTable::FrameTable(const ElfFile& file, Dwarf* dwarf)
    : file_(file), eh_frame_(dwarf_getcfi_elf(file.handle())) {
  if (dwarf != nullptr) {
    debug_frame_ = dwarf_getcfi(dwarf);
  }
}

FrameRule FrameTable::make_rule(std::uint64_t address) {
  if (!file_.arch()) {
    return {.kind = FrameRule::Kind::NoRule};
  }
  FrameRule rule = make_rule_from(eh_frame_.get(), address);
  if (rule.kind == FrameRule::Kind::NoRule) {
    rule = make_rule_from(debug_frame_, address);
  }
  // A caller asks for the byte before the return address: that of a handler is
  // the first of the trampoline.
  if (rule.kind == FrameRule::Kind::NoRule &&
      (is_signal_trampoline(address) || is_signal_trampoline(address + 1))) {
    return {.kind = FrameRule::Kind::SignalFrame};
  }
  return rule;
}

FrameRule FrameTable::make_rule_from(Dwarf_CFI_s* table, std::uint64_t address) const {
  FrameRule none{.kind = FrameRule::Kind::NoRule};
  Dwarf_Frame* found = nullptr;
  if (table == nullptr || dwarf_cfi_addrframe(table, address, &found) != 0) {
    return none;
  }
  const std::unique_ptr<Dwarf_Frame, FreeFrame> frame(found);
  bool is_signal = false;
  const int column = dwarf_frame_info(found, nullptr, nullptr, &is_signal);
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  FrameRule rule;
  if (column < 0 || dwarf_frame_cfa(found, &operations, &count) != 0 || !set_cfa({operations, count}, rule)) {
    return none;
  }
  // glibc describes what the kernel leaves behind by expressions; the layout is
  // the kernel's and never changes, so it is read as such.
  if (is_signal && (rule.kind == FrameRule::Kind::Expression || is_signal_trampoline(address) ||
                    is_signal_trampoline(address + 1))) {
    return {.kind = FrameRule::Kind::SignalFrame};
  }
  if (!set_return_address(found, *file_.arch(), static_cast<unsigned>(column), rule)) {
    return {.kind = FrameRule::Kind::Outermost};
  }
  set_saved_registers(found, *file_.arch(), rule);
  return rule;
}

// The code that calls rt_sigreturn. The kernel's own for aarch64 has no unwind
// information in recent kernels, nor has musl's.
bool FrameTable::is_signal_trampoline(std::uint64_t address) const {
  constexpr std::array<unsigned char, 9> kX86 = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
  constexpr std::array<unsigned char, 8> kAarch64 = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};
  std::array<std::byte, 9> code{};
  const bool is_x86 = *file_.arch() == Arch::Amd64;
  const std::size_t length = is_x86 ? kX86.size() : kAarch64.size();
  return file_.read(address, std::span(code).first(length)) &&
         std::memcmp(code.data(), is_x86 ? kX86.data() : kAarch64.data(), length) == 0;
}

}  // namespace lowtide::symbols
