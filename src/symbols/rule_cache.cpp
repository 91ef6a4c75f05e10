#include "symbols/rule_cache.h"

#include <utility>

namespace lowtide::symbols {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kMostSlots = 1U << 19U;  // half of them used

std::uint64_t mix(std::uint64_t value) {
  value *= 0x9E3779B97F4A7C15U;
  return value ^ (value >> 32U);
}

}  // namespace

std::size_t hash_of(const FrameRule& rule) {
  std::uint64_t hash = static_cast<std::uint64_t>(rule.kind) << 16U | std::uint64_t{rule.cfa_register} << 8U;
  const auto add = [&hash](std::uint64_t value) { hash = mix(hash ^ value); };
  add(static_cast<std::uint64_t>(std::int64_t{rule.cfa_offset}));
  for (std::size_t index = 0; index < rule.saved_count; ++index) {
    add(std::uint64_t{rule.saved[index].number} << 32U ^
        static_cast<std::uint64_t>(std::int64_t{rule.saved[index].offset}));
  }
  for (const ExpressionStep& step : rule.steps) {
    add(step.operation ^ mix(step.number));
  }
  return hash;
}

std::size_t RuleCache::slot_of(std::uint64_t address) const {
  std::size_t at = mix(address) & (slots_.size() - 1);
  while (slots_[at].used && slots_[at].address != address) {
    at = (at + 1) & (slots_.size() - 1);
  }
  return at;
}

const FrameRule* RuleCache::find(std::uint64_t address) const {
  if (slots_.empty()) {
    return nullptr;
  }
  const Slot& slot = slots_[slot_of(address)];
  return slot.used ? &rules_[slot.rule] : nullptr;
}

void RuleCache::grow() {
  std::vector<Slot> old(slots_.empty() ? kFirstSlots : slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.used) {
      slots_[slot_of(slot.address)] = slot;
    }
  }
}

const FrameRule& RuleCache::keep(std::uint64_t address, FrameRule rule) {
  if (2 * used_slots_ >= kMostSlots) {
    *this = {};
  }
  if (2 * used_slots_ >= slots_.size()) {
    grow();
  }
  const auto [found, added] = numbers_.try_emplace(rule, static_cast<std::uint32_t>(rules_.size()));
  if (added) {
    rules_.push_back(std::move(rule));
  }
  slots_[slot_of(address)] = {.address = address, .rule = found->second, .used = true};
  ++used_slots_;
  return rules_[found->second];
}

}  // namespace lowtide::symbols
