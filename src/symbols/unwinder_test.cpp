// The walk itself, over rules and stacks made by hand.
#include "symbols/unwinder.h"

#include <dwarf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace lowtide::symbols {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kStackStart = 0x7ffe00000000;

FrameRule make_rule(FrameRule::Kind kind) {
  FrameRule rule;
  rule.kind = kind;
  return rule;
}

// CFA = register + offset, the return address below it.
FrameRule make_plain_rule(unsigned cfa_register, std::int32_t cfa_offset) {
  FrameRule rule = make_rule(FrameRule::Kind::RegisterOffset);
  rule.cfa_register = static_cast<std::uint8_t>(cfa_register);
  rule.cfa_offset = cfa_offset;
  rule.return_address = {.where = Where::AtCfa, .offset = -8};
  return rule;
}

class HandMadeRules final : public RuleSource {
 public:
  FrameRule make_rule(Arch /*arch*/, std::uint64_t address) override {
    ++asked;
    const auto found = rules.find(address);
    return found == rules.end() ? FrameRule{} : found->second;
  }

  std::map<std::uint64_t, FrameRule> rules;
  int asked = 0;
};

class Stack {
 public:
  explicit Stack(std::size_t words) : words_(words) {}
  void put(std::size_t offset_bytes, std::uint64_t value) { words_[offset_bytes / 8] = value; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words_)); }

 private:
  std::vector<std::uint64_t> words_;
};

constexpr unsigned kRsp = 7;
constexpr unsigned kRbp = 6;

TEST(Unwinder, frames_are_followed_to_the_outermost_by_their_rules) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_plain_rule(kRsp, 16);
  rules.rules[0x1fff] = make_plain_rule(kRsp, 32);
  rules.rules[0x2fff] = make_rule(FrameRule::Kind::Outermost);
  Stack stack(8);
  stack.put(8, 0x2000);
  stack.put(40, 0x3000);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  const StackEnd end =
      unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, 0), stack.bytes(), addresses);

  EXPECT_EQ(end, StackEnd::Outermost);
  EXPECT_THAT(addresses, ElementsAre(0x1000, 0x1fff, 0x2fff));
}

TEST(Unwinder, rule_of_a_place_is_made_once_until_it_is_forgotten) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_plain_rule(kRsp, 16);
  rules.rules[0x1fff] = make_rule(FrameRule::Kind::Outermost);
  Stack stack(2);
  stack.put(8, 0x2000);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;
  const Registers registers = make_registers(Arch::Amd64, 0x1000, kStackStart, 0);

  unwinder.unwind(registers, stack.bytes(), addresses);
  unwinder.unwind(registers, stack.bytes(), addresses);
  const int asked_before = rules.asked;
  rules.forget_rules();
  unwinder.unwind(registers, stack.bytes(), addresses);

  EXPECT_EQ(asked_before, 2);
  EXPECT_EQ(rules.asked, 4);
}

TEST(Unwinder, many_places_keep_their_own_rules_while_the_table_grows) {
  HandMadeRules rules;
  constexpr std::uint64_t kPlaces = 5000;
  for (std::uint64_t place = 1; place <= kPlaces; ++place) {
    rules.rules[place * 64] = make_plain_rule(kRsp, static_cast<std::int32_t>(16 + 8 * (place % 4)));
  }
  rules.rules[0xfffffff] = make_rule(FrameRule::Kind::Outermost);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;
  int whole = 0;

  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t place = 1; place <= kPlaces; ++place) {
      Stack stack(8);
      stack.put(8 + 8 * (place % 4), 0x10000000);
      const auto end =
          unwinder.unwind(make_registers(Arch::Amd64, place * 64, kStackStart, 0), stack.bytes(), addresses);
      whole += end == StackEnd::Outermost && addresses.size() == 2 ? 1 : 0;
    }
  }

  EXPECT_EQ(whole, 2 * static_cast<int>(kPlaces));
  EXPECT_EQ(rules.asked, static_cast<int>(kPlaces) + 1);
}

TEST(Unwinder, end_of_the_copy_is_said) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_plain_rule(kRsp, 4096);
  Stack stack(8);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  const StackEnd end =
      unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, 0), stack.bytes(), addresses);

  EXPECT_EQ(end, StackEnd::CopyEnded);
  EXPECT_THAT(addresses, ElementsAre(0x1000));
}

TEST(Unwinder, frames_without_end_stop_at_the_limit) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_plain_rule(kRsp, 8);
  rules.rules[0xfff] = rules.rules[0x1000];
  Stack stack(1024);
  for (std::size_t at = 0; at < 1024; ++at) {
    stack.put(8 * at, 0x1000);
  }
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  const StackEnd end =
      unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, 0), stack.bytes(), addresses);

  EXPECT_EQ(end, StackEnd::StepLimit);
  EXPECT_EQ(addresses.size(), kMostFrames);
}

TEST(Unwinder, frame_that_does_not_rise_is_a_cycle) {
  HandMadeRules rules;
  FrameRule rule = make_plain_rule(kRbp, 0);
  rule.return_address = {.where = Where::AtCfa, .offset = 0};
  rules.rules[0x1000] = rule;
  rules.rules[0xfff] = rule;
  Stack stack(8);
  stack.put(0, 0x1000);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  const StackEnd end = unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, kStackStart),
                                       stack.bytes(), addresses);

  EXPECT_EQ(end, StackEnd::NoProgress);
}

TEST(Unwinder, register_that_was_not_captured_is_missed_only_where_it_is_needed) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_plain_rule(kRsp, 16);
  rules.rules[0x1fff] = make_plain_rule(3, 16);  // rbx
  Stack stack(8);
  stack.put(8, 0x2000);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  const StackEnd end =
      unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, 0), stack.bytes(), addresses);

  EXPECT_EQ(end, StackEnd::LostRegister);
  EXPECT_THAT(addresses, ElementsAre(0x1000, 0x1fff));
}

TEST(Unwinder, code_without_a_rule_is_crossed_by_a_plausible_frame_pointer) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_rule(FrameRule::Kind::NoRule);
  rules.rules[0x1fff] = make_rule(FrameRule::Kind::Outermost);
  Stack stack(8);
  stack.put(16, kStackStart + 48);
  stack.put(24, 0x2000);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;
  const auto unwind_with_fp = [&](std::uint64_t fp) {
    return unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, fp), stack.bytes(), addresses);
  };

  EXPECT_EQ(unwind_with_fp(kStackStart + 16), StackEnd::Outermost);
  EXPECT_EQ(unwind_with_fp(kStackStart + 17), StackEnd::NoRule);
  EXPECT_EQ(unwind_with_fp(kStackStart - 16), StackEnd::NoRule);
  EXPECT_EQ(unwind_with_fp(0), StackEnd::NoRule);
}

TEST(Unwinder, address_without_code_ends_the_walk_and_is_not_given) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_plain_rule(kRsp, 16);
  Stack stack(8);
  stack.put(8, 0xdead);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  const StackEnd end =
      unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, 0), stack.bytes(), addresses);

  EXPECT_EQ(end, StackEnd::UnknownCode);
  EXPECT_THAT(addresses, ElementsAre(0x1000));
}

// What the linker writes for a PLT: 8 more once the stub has pushed its number.
TEST(Unwinder, stub_of_a_plt_is_crossed_in_both_halves) {
  HandMadeRules rules;
  FrameRule stub = make_rule(FrameRule::Kind::Expression);
  stub.steps = {{DW_OP_breg7, 8, 0}, {DW_OP_breg16, 0, 0}, {DW_OP_lit15, 0, 0},
                {DW_OP_and, 0, 0},   {DW_OP_lit11, 0, 0},  {DW_OP_ge, 0, 0},
                {DW_OP_lit3, 0, 0},  {DW_OP_shl, 0, 0},    {DW_OP_plus, 0, 0}};
  stub.cfa_step_count = static_cast<std::uint8_t>(stub.steps.size());
  stub.return_address = {.where = Where::AtCfa, .offset = -8};
  rules.rules[0x1000] = stub;
  rules.rules[0x100b] = stub;
  rules.rules[0x1fff] = make_rule(FrameRule::Kind::Outermost);
  Stack before(8);
  before.put(0, 0x2000);
  Stack after(8);
  after.put(0, 5);
  after.put(8, 0x2000);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  EXPECT_EQ(unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, 0), before.bytes(), addresses),
            StackEnd::Outermost);
  EXPECT_EQ(unwinder.unwind(make_registers(Arch::Amd64, 0x100b, kStackStart, 0), after.bytes(), addresses),
            StackEnd::Outermost);
}

TEST(Unwinder, signal_frame_of_x86_64_gives_back_all_registers) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_rule(FrameRule::Kind::SignalFrame);
  rules.rules[0x2000] = make_plain_rule(10, 8);  // r10: no call would have kept it
  rules.rules[0x2fff] = make_rule(FrameRule::Kind::Outermost);
  Stack stack(64);
  stack.put(40 + 2 * 8, kStackStart + 400);   // r10
  stack.put(40 + 15 * 8, kStackStart + 392);  // rsp
  stack.put(40 + 16 * 8, 0x2000);             // rip
  stack.put(400, 0x3000);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  const StackEnd end =
      unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, 0), stack.bytes(), addresses);

  EXPECT_EQ(end, StackEnd::Outermost);
  EXPECT_THAT(addresses, ElementsAre(0x1000, 0x2000, 0x2fff));
}

TEST(Unwinder, leaf_that_a_signal_interrupted_on_aarch64_has_its_caller_in_the_link_register) {
  HandMadeRules rules;
  FrameRule leaf = make_plain_rule(31, 0);
  leaf.return_address = {.where = Where::InRegister, .offset = 30};
  rules.rules[0x1000] = make_rule(FrameRule::Kind::SignalFrame);
  rules.rules[0x2000] = leaf;
  rules.rules[0x2fff] = make_rule(FrameRule::Kind::Outermost);
  Stack stack(128);
  stack.put(312 + 30 * 8, 0x3000);             // x30
  stack.put(312 + 31 * 8, kStackStart + 640);  // sp
  stack.put(312 + 32 * 8, 0x2000);             // pc
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  const StackEnd end =
      unwinder.unwind(make_registers(Arch::Aarch64, 0x1000, kStackStart, 0), stack.bytes(), addresses);

  EXPECT_EQ(end, StackEnd::Outermost);
  EXPECT_THAT(addresses, ElementsAre(0x1000, 0x2000, 0x2fff));
}

TEST(Unwinder, signature_is_taken_off_a_return_address_of_aarch64) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_plain_rule(31, 16);
  rules.rules[0x1fff] = make_rule(FrameRule::Kind::Outermost);
  Stack stack(8);
  stack.put(8, 0x5a3f000000002000);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  const StackEnd end =
      unwinder.unwind(make_registers(Arch::Aarch64, 0x1000, kStackStart, 0), stack.bytes(), addresses);

  EXPECT_EQ(end, StackEnd::Outermost);
  EXPECT_THAT(addresses, ElementsAre(0x1000, 0x1fff));
}

TEST(Unwinder, stack_at_the_end_of_the_address_space_is_not_read_past_it) {
  HandMadeRules rules;
  rules.rules[0x1000] = make_plain_rule(kRsp, 16);
  Stack stack(1);
  Unwinder unwinder(rules);
  std::vector<std::uint64_t> addresses;

  EXPECT_EQ(
      unwinder.unwind(make_registers(Arch::Amd64, 0x1000, ~std::uint64_t{7}, 0), stack.bytes(), addresses),
      StackEnd::NoProgress);
  EXPECT_EQ(unwinder.unwind(make_registers(Arch::Amd64, 0x1000, kStackStart, 0), {}, addresses),
            StackEnd::CopyEnded);
}

}  // namespace
}  // namespace lowtide::symbols
