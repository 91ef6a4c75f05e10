// Rules that a run must keep, and how it fared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.h"

namespace lowtide::model {

enum class RuleKind { NoLeak, Budget, MaxGrowth, MaxRate, NoOom, Expect };

// The unit of a rate.
enum class RatePer { Step, Second };

struct Rule {
  RuleKind kind = RuleKind::NoLeak;
  std::string words;            // as the user gave it: "--budget 20G"
  std::uint64_t bytes = 0;      // Budget, MaxGrowth
  double rate_bytes = 0;        // MaxRate, per `per`
  RatePer per = RatePer::Step;  // MaxRate
  bool after_warmup = false;    // MaxGrowth
  VerdictKind expected = VerdictKind::Warmup;
};

enum class Outcome { Kept, Broken, Undecided };

struct RuleResult {
  Rule rule;
  Outcome outcome = Outcome::Undecided;
  std::string why;  // one sentence with the numbers, lower case, no full stop
};

struct Gate {
  std::vector<RuleResult> results;

  // Broken beats undecided beats kept.
  [[nodiscard]] Outcome outcome() const {
    Outcome worst = Outcome::Kept;
    for (const RuleResult& result : results) {
      if (result.outcome == Outcome::Broken) return Outcome::Broken;
      if (result.outcome == Outcome::Undecided) worst = Outcome::Undecided;
    }
    return worst;
  }
};

constexpr std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::Kept:
      return "kept";
    case Outcome::Broken:
      return "broken";
    case Outcome::Undecided:
      return "undecided";
  }
  return {};
}

constexpr std::string_view to_string(RuleKind kind) {
  switch (kind) {
    case RuleKind::NoLeak:
      return "no-leak";
    case RuleKind::Budget:
      return "budget";
    case RuleKind::MaxGrowth:
      return "max-growth";
    case RuleKind::MaxRate:
      return "max-rate";
    case RuleKind::NoOom:
      return "no-oom";
    case RuleKind::Expect:
      return "expect";
  }
  return {};
}

constexpr std::string_view to_string(RatePer per) {
  switch (per) {
    case RatePer::Step:
      return "step";
    case RatePer::Second:
      return "second";
  }
  return {};
}

}  // namespace lowtide::model
