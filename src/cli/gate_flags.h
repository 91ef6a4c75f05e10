// The rules of a gate on the command line, for every verb that has a gate.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "console/exit_code.h"
#include "console/user_error.h"
#include "model/gate.h"

namespace lowtide::cli {

// --budget, --max-growth, --after-warmup, --max-rate, --no-oom, --expect
std::vector<Flag> gate_flags();

// The rules that were given, in the order of gate_flags(); none is no error.
std::variant<std::vector<model::Rule>, console::UserError> parse_rules(const Arguments& arguments);

// "1M/step", "20M/min": bytes per step or per second.
struct GivenRate {
  double bytes = 0;
  model::RatePer per = model::RatePer::Step;
};
base::Result<GivenRate> parse_rate(std::string_view text);

// One line a rule: "broken: --budget 20G: the peak of the tree was ...".
std::string gate_text(const model::Gate& gate);

}  // namespace lowtide::cli
