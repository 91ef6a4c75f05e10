// Whether a rule of `check` passed, in the words for people. The JSON field `outcome` has the older names of
// model::Outcome.
#pragma once

#include <string_view>

#include "model/gate.h"

namespace lowtide::show {

enum class RulePassed { Pass, Fail, Undecided };

constexpr std::string_view to_string(RulePassed passed) {
  switch (passed) {
    case RulePassed::Pass:
      return "pass";
    case RulePassed::Fail:
      return "fail";
    case RulePassed::Undecided:
      return "undecided";
  }
  return {};
}

constexpr RulePassed rule_passed(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::Kept:
      return RulePassed::Pass;
    case model::Outcome::Broken:
      return RulePassed::Fail;
    case model::Outcome::Undecided:
      break;
  }
  return RulePassed::Undecided;
}

}  // namespace lowtide::show
