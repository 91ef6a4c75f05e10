#include "cli/gate_flags.h"

#include <gtest/gtest.h>

#include "cli/command.h"

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

TEST(GateFlags, what_is_no_rate_is_refused) {
  for (const char* text : {"", "1M", "/step", "1M/", "1M/epoch", "x/s", "-1M/s", "1M/step/s"}) {
    EXPECT_FALSE(parse_rate(text).ok()) << text;
  }
}

TEST(GateFlags, rules_carry_the_words_they_were_given_in) {
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

TEST(GateFlags, after_warmup_alone_says_nothing_and_is_refused) {
  EXPECT_TRUE(std::holds_alternative<console::UserError>(parse_rules({.after_warmup = true})));
}

}  // namespace
}  // namespace lowtide::cli
