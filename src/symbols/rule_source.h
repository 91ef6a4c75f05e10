// Says how to unwind at a code address.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "symbols/frame_rule.h"
#include "symbols/registers.h"
#include "symbols/rule_cache.h"

namespace lowtide::symbols {

// One implementation reads the files that a process has mapped (AddressSpace); tests have their own. Walking
// .eh_frame for each frame costs microseconds, and a job allocates from the same places over and over, so a
// rule is made once.
class RuleSource {
 public:
  RuleSource() = default;
  RuleSource(const RuleSource&) = delete;
  RuleSource& operator=(const RuleSource&) = delete;
  RuleSource(RuleSource&&) = default;
  RuleSource& operator=(RuleSource&&) = default;
  virtual ~RuleSource() = default;

  // Valid until the next call.
  const FrameRule& rule_at(Arch arch, std::uint64_t address) {
    const FrameRule* known = rules_->find(address);
    return known != nullptr ? *known : rules_->keep(address, make_rule(arch, address));
  }
  void forget_rules() { use_rules(std::make_shared<RuleCache>()); }

 protected:
  virtual FrameRule make_rule(Arch arch, std::uint64_t address) = 0;
  // From here on, these rules hold.
  void use_rules(std::shared_ptr<RuleCache> rules) { rules_ = std::move(rules); }

 private:
  std::shared_ptr<RuleCache> rules_ = std::make_shared<RuleCache>();
};

}  // namespace lowtide::symbols
