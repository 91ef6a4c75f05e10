// The rules of a gate on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "console/flag.h"
#include "console/user_error.h"
#include "model/gate.h"

namespace lowtide::cli {

// "1M/step", "20M/min": bytes per step or per second.
struct GivenRate {
  double bytes = 0;
  model::RatePer per = model::RatePer::Step;
};
base::Result<GivenRate> parse_rate(std::string_view text);

// A value with the text that it was given in, which names the rule.
template <typename Value>
struct AsGiven {
  std::string text;
  Value value;
};

struct GateFlags {
  std::optional<AsGiven<std::uint64_t>> budget = {};
  std::optional<AsGiven<std::uint64_t>> max_growth = {};
  bool after_warmup = false;
  std::optional<AsGiven<GivenRate>> max_rate = {};
  bool no_oom = false;
  std::optional<model::VerdictKind> expect = {};
};

console::Flags<GateFlags> gate_flags();

// The rules that were given, in the order of gate_flags(); none is no error.
std::variant<std::vector<model::Rule>, console::UserError> parse_rules(const GateFlags& flags);

// One line per rule: "fail: --budget 20G: the peak of the process tree was ...".
std::string gate_text(const model::Gate& gate);

// The last line: "FAIL: 1 of 3 rules failed". A run that leaks and passes is not called a run without a leak.
std::string gate_summary(const model::Gate& gate, const model::Verdict& verdict);

}  // namespace lowtide::cli
