#include "cli/syntax/gate_flags.h"

#include <gtest/gtest.h>

#include "cli/syntax/command.h"

namespace lowtide::cli {
namespace {

TEST(GateFlags, rate_is_a_size_per_step_or_time) {
  ASSERT_TRUE(parse_rate("1M/step").ok());
  EXPECT_EQ(parse_rate("1M/step").value().per, model::RatePer::Step);
  EXPECT_DOUBLE_EQ(parse_rate("1M/step").value().bytes, 1048576);
  EXPECT_DOUBLE_EQ(parse_rate("60MB/min").value().bytes, 1e6);
  EXPECT_DOUBLE_EQ(parse_rate("36GB/h").value().bytes, 1e7);
  EXPECT_EQ(parse_rate("5MB/s").value().per, model::RatePer::Second);
}

TEST(GateFlags, text_that_is_not_a_rate_is_refused) {
  for (const char* text : {"", "1M", "/step", "1M/", "1M/epoch", "x/s", "-1M/s", "1M/step/s", "20/step"}) {
    EXPECT_FALSE(parse_rate(text).ok()) << text;
  }
}

TEST(GateFlags, rules_carry_the_text_they_were_given_in) {
  const auto flags = read_settings(
      gate_flags(), {{{"budget", "20G"}, {"max-growth", "500M"}, {"after-warmup", ""}, {"no-oom", ""}}, {}},
      "check");
  ASSERT_TRUE(std::holds_alternative<GateFlags>(flags));

  const auto parsed = parse_rules(std::get<GateFlags>(flags));

  ASSERT_TRUE(std::holds_alternative<std::vector<model::Rule>>(parsed));
  const auto& rules = std::get<std::vector<model::Rule>>(parsed);
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0].words, "--budget 20G");
  EXPECT_EQ(rules[0].bytes, 20ULL << 30U);
  EXPECT_EQ(rules[1].words, "--max-growth 500M --after-warmup");
  EXPECT_TRUE(rules[1].after_warmup);
  EXPECT_EQ(rules[2].kind, model::RuleKind::NoOom);
}

TEST(GateFlags, size_without_a_unit_is_refused) {
  const auto is_refused = [](const std::string& flag, const std::string& value) {
    return std::holds_alternative<console::UserError>(
        read_settings(gate_flags(), {{{flag, value}}, {}}, "check"));
  };
  EXPECT_TRUE(is_refused("budget", "20"));
  EXPECT_TRUE(is_refused("budget", "0"));
  EXPECT_TRUE(is_refused("max-growth", "20"));
  EXPECT_FALSE(is_refused("max-growth", "0"));
  EXPECT_FALSE(is_refused("budget", "20G"));
}

model::Gate gate_of(std::initializer_list<std::pair<model::RuleKind, model::Outcome>> rules) {
  model::Gate gate;
  for (const auto& [kind, outcome] : rules) {
    model::RuleResult result;
    result.rule.kind = kind;
    result.rule.words = "--rule";
    result.outcome = outcome;
    result.why = "why";
    gate.results.push_back(std::move(result));
  }
  return gate;
}

TEST(GateFlags, rules_pass_or_fail) {
  using model::Outcome;
  using model::RuleKind;
  const model::Gate gate = gate_of({{RuleKind::Budget, Outcome::Kept},
                                    {RuleKind::NoOom, Outcome::Broken},
                                    {RuleKind::MaxRate, Outcome::Undecided}});
  EXPECT_EQ(gate_text(gate), "pass: --rule: why\nfail: --rule: why\nundecided: --rule: why\n");
  EXPECT_EQ(gate_summary(gate, {}), "FAIL: 1 of 3 rules failed");
}

TEST(GateFlags, last_line_of_a_leak_within_its_budget_names_both) {
  using model::Outcome;
  using model::RuleKind;
  model::Verdict leak;
  leak.kind = model::VerdictKind::Leak;
  const model::Gate budget = gate_of({{RuleKind::Budget, Outcome::Kept}});
  EXPECT_EQ(gate_summary(budget, {}), "PASS: 1 of 1 rule passed");
  EXPECT_EQ(gate_summary(budget, leak).find("PASS: 1 of 1 rule passed, but the job leaks"), 0U);
  EXPECT_EQ(gate_summary(gate_of({{RuleKind::Expect, Outcome::Kept}}), leak), "PASS: 1 of 1 rule passed");
}

TEST(GateFlags, after_warmup_alone_is_refused) {
  EXPECT_TRUE(std::holds_alternative<console::UserError>(parse_rules({.after_warmup = true})));
}

}  // namespace
}  // namespace lowtide::cli
